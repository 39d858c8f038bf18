import { constants } from 'node:os'
import process from 'node:process'

// npm passes on the Ctrl-C that the terminal has already sent to the whole process group: one key press arrives twice.
const echoMs = 1_000
const patienceMs = 10_000

/** @type {Set<(signal: NodeJS.Signals) => unknown>} */
const undos = new Set()
let interruptedAt = 0

/**
 * Calls `undo` before the process ends on Ctrl-C or `kill`: otherwise its child processes would run on unseen. A second
 * Ctrl-C does not wait for it. Returns a function that removes `undo` again.
 * @param {(signal: NodeJS.Signals) => unknown} undo
 */
export function onInterrupt(undo) {
  if (undos.size === 0) for (const signal of signals) process.on(signal, interrupt)
  undos.add(undo)
  return () => {
    undos.delete(undo)
    if (undos.size === 0 && !isInterrupted()) for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Whether the process is about to end: then a child process that was told to stop has not failed. */
export const isInterrupted = () => interruptedAt !== 0

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** @param {NodeJS.Signals} signal */
async function interrupt(signal) {
  const code = 128 + constants.signals[signal]
  if (isInterrupted()) {
    if (Date.now() - interruptedAt > echoMs) process.exit(code)
    return
  }
  interruptedAt = Date.now()
  process.stderr.write(`\n${signal}: ending what was started\n`)
  setTimeout(() => process.exit(code), patienceMs)
  await Promise.allSettled([...undos].map(async (undo) => undo(signal)))
  process.exit(code)
}
