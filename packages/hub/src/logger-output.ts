import { write, writeSync } from 'node:fs'

/** Lines that wait to be written may take this much memory; later lines are dropped and counted. */
const mostWaiting = 1024 * 1024
const gatherChars = 4096
const flushMs = 500
const lastTryMs = 200
const napMs = 5

/** All open outputs. When the process exits, their waiting lines are written as far as possible. */
const open = new Set<LoggerOutput>()

/**
 * The destination of the logger: a descriptor, which may be a file on a full disk, a pipe that no process reads, or closed.
 * None of these may block the hub, so this never throws and never waits: lines that cannot be written are retried twice a
 * second, and dropped when there are too many. (pino's own destination retries in an endless loop when the process exits: a hub
 * kept its port and its lock, and no signal ended it.)
 */
export class LoggerOutput {
  readonly #fd: number
  readonly #timer: NodeJS.Timeout
  #waiting = ''
  /** Taken from `#waiting` and not yet written. */
  #rest = Buffer.alloc(0)
  #isWriting = false
  #isTroubled = false
  #isMidLine = false
  #isClosed = false
  #dropped = 0

  constructor(fd: number) {
    this.#fd = fd
    this.#timer = setInterval(() => this.flush(), flushMs).unref()
    if (open.size === 0) process.on('exit', endAll)
    open.add(this)
  }

  write(line: string): void {
    if (this.#isClosed) return
    if (this.#waiting.length + line.length > mostWaiting) this.#dropped += 1
    else this.#waiting += line
    if (!this.#isTroubled && this.#waiting.length >= gatherChars) this.flush()
  }

  flush(): void {
    if (this.#isWriting || !this.#takeNext()) return
    this.#isWriting = true
    write(this.#fd, this.#rest, (error, written) => {
      this.#isWriting = false
      this.#isTroubled = error !== null
      if (error) this.#failed(error)
      else this.#wrote(written)
      if (!error && (this.#rest.length > 0 || this.#waiting.length >= gatherChars)) this.flush()
    })
  }

  /** Writes what it can within `lastTryMs` and drops the rest. */
  close(): void {
    clearInterval(this.#timer)
    open.delete(this)
    if (open.size === 0) process.off('exit', endAll)
    // The write in progress has these bytes already.
    if (this.#isWriting) this.#rest = Buffer.alloc(0)
    const until = performance.now() + lastTryMs
    while (!this.#isClosed && this.#takeNext()) {
      try {
        this.#wrote(writeSync(this.#fd, this.#rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) break
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, napMs)
      }
    }
    this.#isClosed = true
  }

  #takeNext(): boolean {
    if (this.#rest.length > 0) return true
    const text = `${this.#waiting}${this.#dropped > 0 ? lost(this.#dropped) : ''}`
    if (text === '') return false
    this.#rest = Buffer.from(`${this.#isMidLine ? '\n' : ''}${text}`)
    this.#waiting = ''
    this.#dropped = 0
    return true
  }

  #wrote(bytes: number): void {
    if (bytes > 0) this.#isMidLine = this.#rest[bytes - 1] !== 0x0a
    this.#rest = this.#rest.subarray(bytes)
  }

  #failed({ code }: NodeJS.ErrnoException): void {
    // The reader of the pipe has gone and does not come back.
    if (code === 'EPIPE' || code === 'EBADF') {
      this.#isClosed = true
      this.#waiting = ''
      this.#rest = Buffer.alloc(0)
    }
  }
}

const lost = (lines: number) =>
  `${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, lines, msg: 'lines of this log were dropped: they could not be written in time' })}\n`

function endAll(): void {
  for (const one of open) one.close()
}
