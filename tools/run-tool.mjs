import { spawn } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { root } from './prepare.mjs'

/**
 * Runs a JavaScript file of an installed package from the root of the clone, and collects what it prints.
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runTool(file, args) {
  const color = process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const child = spawn(process.execPath, [path.join(root, 'node_modules', file), ...args], {
    cwd: root,
    env: { ...process.env, ...color },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
