import { spawn } from 'node:child_process'
import process from 'node:process'
import { isInterrupted, onInterrupt } from './on-interrupt.mjs'

// A process group can be ended with all its descendants; Windows has none.
const detached = process.platform !== 'win32'

/**
 * Runs a program to its end and collects what it prints. It does not outlive this process: on Ctrl-C or `kill` it is
 * told to stop and waited for, and killed if it has not ended within `patienceMs`.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, patienceMs: number }} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runChild(file, args, { patienceMs, ...options }) {
  const child = spawn(file, args, { ...options, detached, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const closed = new Promise((resolve) => child.on('close', resolve))
  const killAtOnce = () => signalGroup(child, 'SIGKILL')
  process.prependListener('exit', killAtOnce)
  const forget = onInterrupt(async (signal) => {
    signalGroup(child, signal)
    setTimeout(killAtOnce, patienceMs)
    await closed
  })
  return new Promise((resolve, reject) => {
    const settle = (/** @type {() => void} */ tell) => {
      process.off('exit', killAtOnce)
      forget()
      // A child that was told to stop looks like one that failed: no error is reported for it.
      if (!isInterrupted()) tell()
    }
    child.on('error', (error) => settle(() => reject(error)))
    child.on('close', (code) => settle(() => resolve({ code: code ?? 1, output })))
  })
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  try {
    if (child.pid !== undefined) process.kill(detached ? -child.pid : child.pid, signal)
  } catch {
    // It is gone already.
  }
}
