import process from 'node:process'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @param {number} since */
export const secondsSince = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

/**
 * Shows that something is going on until it is over: a spinner on a terminal, a line every ten seconds elsewhere.
 * Everything goes to stderr: stdout belongs to the program that is about to start.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @param {NodeJS.WriteStream} [stream]
 * @returns {Promise<T>}
 */
export async function withProgress(what, work, stream = process.stderr) {
  const began = Date.now()
  let frame = 0
  const spin = () =>
    stream.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${what} ${secondsSince(began)}`)
  const tick = stream.isTTY ? spin : () => stream.write(`${what}: still at it after ${secondsSince(began)}\n`)
  if (!stream.isTTY) stream.write(`${what} ...\n`)
  const timer = setInterval(tick, stream.isTTY ? 80 : 10_000)
  let mark = '✗'
  try {
    const result = await work()
    mark = '✓'
    return result
  } finally {
    clearInterval(timer)
    stream.write(`${stream.isTTY ? '\r\x1b[2K' : ''}${mark} ${what} ${secondsSince(began)}\n`)
  }
}
