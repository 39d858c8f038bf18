import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The command, as a file that Node runs. */
export const command = fileURLToPath(new URL('../../farhand/bin/farhand.cjs', import.meta.url))

/** A program in a process of its own, which can be restarted. */
export class ProgramProcess {
  readonly #name: string
  /** Its standard error, of all starts together. */
  complaints = ''
  #child: ChildProcess | null = null

  constructor(name: string) {
    this.#name = name
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Starts the process; resolves with the first line it writes, rejects if it ends before that. */
  protected async begin(words: readonly string[], heard: (line: string) => void = () => {}): Promise<string> {
    if (this.#child) throw new Error(`${this.#name} is already running`)
    const [program, ...rest] = words
    const child = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.once('exit', () => {
      this.#child = null
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints += text
    })
    const line = await Promise.race([
      new Promise<string>((resolve) => {
        eachLine(child.stdout, (text) => {
          resolve(text)
          heard(text)
        })
      }),
      once(child, 'exit').then(([code, signal]) => {
        const how = `${signal ?? code}): ${this.complaints.slice(-2000)}`
        throw new Error(`${this.#name} ended before it had begun (${how}`)
      }),
    ])
    return line
  }

  /** Resolves when the process has ended, with the exit code; null when a signal ended it. */
  async gone(): Promise<number | null> {
    if (!this.#child) return null
    const [code] = await once(this.#child, 'exit')
    return code as number | null
  }

  /** Sends the signal and resolves with the exit code when the process is gone; null when a signal ended it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const gone = this.gone()
    this.#child?.kill(signal)
    return gone
  }
}

/** Whole lines only: the program was killed while it wrote an incomplete one. */
function eachLine(stream: Readable, heard: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) heard(line)
  })
}
