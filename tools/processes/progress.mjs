import process from 'node:process'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @param {number} since */
export const secondsSince = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

/**
 * Shows progress until the work is over: a spinner on a terminal, a line every ten seconds elsewhere. It writes to stderr,
 * because stdout belongs to the program that is about to start.
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

/**
 * Names the tasks that are still running: on a terminal in one line that changes, elsewhere once at the beginning. `done`
 * replaces a task by its result.
 * @param {readonly string[]} names
 * @param {NodeJS.WriteStream} [stream]
 */
export function runningLine(names, stream = process.stdout) {
  const began = Date.now()
  const running = new Set(names)
  const text = () => `running: ${[...running].join(', ')}`
  let frame = 0
  const clear = () => stream.isTTY && stream.write('\r\x1b[2K')
  const draw = () => {
    clear()
    // A line that wraps could not be erased.
    const line = `${frames[frame++ % frames.length]} ${secondsSince(began)} ${text()}`
    stream.write(line.slice(0, (stream.columns || 80) - 1))
  }
  if (!stream.isTTY) stream.write(`${text()}\n`)
  else draw()
  const timer = stream.isTTY ? setInterval(draw, 80) : undefined
  return {
    /** @param {string} name @param {string} result */
    done(name, result) {
      running.delete(name)
      clear()
      stream.write(result)
      if (running.size === 0) clearInterval(timer)
      else if (stream.isTTY) draw()
    },
  }
}
