import type { ReadStream, WriteStream } from 'node:tty'
import type { KeyedTerminal, TerminalHandlers } from './keyed-terminal.ts'

/** As much of the process as a terminal needs. */
type Process = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'platform'>

type Parts = {
  input: ReadStream
  output: WriteStream
  process: Process
  /** From now on what others print is given to this, or printed again. */
  divert: (says: ((text: string) => void) | null) => void
}

const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
const asItWas = '\x1b[?7h\x1b[?25h\x1b[?2026l'

const [newline, enter] = [10, 13]

/** Keys from when the terminal still kept lines to itself, and made another sign of Enter. */
const asPressed = (keys: Buffer) => keys.map((key) => (key === newline ? enter : key))

/** The terminal of this process. However the process ends, unless it is killed outright, the terminal is as it was. */
export class RawTerminal implements KeyedTerminal {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get size() {
    const { output } = this.#parts
    // Asked of the system now: the signal that tells of it may come after what is drawn for the size before.
    ;(output as WriteStream & { _refreshSize?: () => void })._refreshSize?.()
    const { columns, rows } = output
    // A terminal that does not say is taken for one of the oldest kind.
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
      // First back: what a stream believes to be so already it does not do, and a shell may have set it otherwise.
      input.setRawMode(false)
      input.setRawMode(true)
      // By then whatever was there before has been read.
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
      // Also after somebody else has stopped us, when the shell has set up the terminal for itself.
      isRaw = false
      take()
      handlers.resumed()
    }
    const isUnix = process.platform !== 'win32'
    take()
    input.on('data', onKeys)
    input.on('end', onEnd)
    // A terminal that is closed fails at everything; that is also an end.
    input.on('error', onEnd)
    input.resume()
    // Not `resize` of the stream, which says nothing of a size that has changed and changed back.
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
      // Else the process would wait for more, for ever.
      input.pause()
    }
  }

  suspend(): void {
    const { process } = this.#parts
    // All of the group, as the terminal itself would: npm, if it has started us, must not stay in the foreground.
    if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
  }
}
