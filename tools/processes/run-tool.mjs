import path from 'node:path'
import process from 'node:process'
import { root } from '../prepare.mjs'
import { runChild } from './run-child.mjs'

/**
 * Runs a JavaScript file of an installed package from the root of the clone, and collects what it prints.
 * @param {string} file
 * @param {readonly string[]} args
 */
export function runTool(file, args) {
  const color = process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const script = path.join(root, 'node_modules', file)
  const env = { ...process.env, ...color }
  // The tool only reads, so that it can be killed at once.
  return runChild(process.execPath, [script, ...args], { cwd: root, env, patienceMs: 500 })
}
