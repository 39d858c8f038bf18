import type { ReadStream, WriteStream } from 'node:tty'
import type { KeyedTerminal, TerminalHandlers } from './keyed-terminal.ts'

type Process = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'platform'>

type Parts = {
  input: ReadStream
  output: WriteStream
  process: Process
  /** Redirects other output of the process to this callback; null ends that. */
  divert: (says: ((text: string) => void) | null) => void
}

const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
const asItWas = '\x1b[?7h\x1b[?25h\x1b[?2026l'

const [newline, enter] = [10, 13]

/** Keys typed while the terminal was still in line mode, where Enter arrives as a line feed. */
const asPressed = (keys: Buffer) => keys.map((key) => (key === newline ? enter : key))

/** The terminal of this process. It is restored however the process ends, except by SIGKILL. */
export class RawTerminal implements KeyedTerminal {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get size() {
    const { output } = this.#parts
    // Read from the system now: the resize signal may arrive later.
    ;(output as WriteStream & { _refreshSize?: () => void })._refreshSize?.()
    const { columns, rows } = output
    // The default if the terminal does not tell its size.
    return { columns: columns || 80, rows: rows || 24 }
  }

  write(text: string): void {
    this.#parts.output.write(text)
  }

  open(handlers: TerminalHandlers): () => void {
    const { input, output, process, divert } = this.#parts
    let isRaw = false
    let isAhead = false
    const take = () => {
      if (isRaw) return
      isRaw = true
      isAhead = true
      // Off first: setRawMode does nothing if the stream believes it is already set, and a shell may have changed it.
      input.setRawMode(false)
      input.setRawMode(true)
      // By then the input from before has been read.
      setImmediate(() =>
        setImmediate(() => {
          isAhead = false
        }),
      )
      output.write(pasteOn)
      divert((text) => handlers.says(text))
    }
    const giveBack = () => {
      if (!isRaw) return
      isRaw = false
      divert(null)
      output.write(pasteOff + asItWas)
      input.setRawMode(false)
    }
    const onKeys = (keys: Buffer) => handlers.keys(isAhead ? asPressed(keys) : keys)
    const onEnd = () => handlers.ended()
    const onResize = () => handlers.resized()
    const onStop = () => {
      handlers.suspending()
      giveBack()
      process.kill(process.pid, 'SIGSTOP')
    }
    const onContinue = () => {
      // Also after SIGSTOP from outside, when the shell has changed the terminal's mode.
      isRaw = false
      take()
      handlers.resumed()
    }
    const isUnix = process.platform !== 'win32'
    take()
    input.on('data', onKeys)
    input.on('end', onEnd)
    // A closed terminal fails at every call: treat that as the end of input.
    input.on('error', onEnd)
    input.resume()
    // Not the stream's `resize` event, which does not report a size that changed and changed back.
    process.on('SIGWINCH', onResize)
    process.on('exit', giveBack)
    if (isUnix) {
      process.on('SIGTSTP', onStop)
      process.on('SIGCONT', onContinue)
    }
    return () => {
      input.off('data', onKeys)
      input.off('end', onEnd)
      process.off('SIGWINCH', onResize)
      process.off('exit', giveBack)
      process.off('SIGTSTP', onStop)
      process.off('SIGCONT', onContinue)
      giveBack()
      // Otherwise the open input would keep the process alive.
      input.pause()
    }
  }

  suspend(): void {
    const { process } = this.#parts
    // The whole process group, as the terminal itself does: npm, if it started us, must not stay in the foreground.
    if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
  }
}
