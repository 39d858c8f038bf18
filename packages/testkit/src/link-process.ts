import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const command = fileURLToPath(new URL('../../farhand/bin/farhand.cjs', import.meta.url))
const Line = z.looseObject({ event: z.string() })
export type LinkLine = z.infer<typeof Line>

export type LinkProcessOptions = {
  folder: string
  state: string
  run: string
  hub: { url: string; token: string }
  wins: 'disk' | 'log'
  /** Further words of the command line, such as `--gone delete`. */
  settings?: readonly string[]
  /** What starts it, if it is not started by itself: a command that ends by running its own last words. */
  under?: readonly string[]
}

/** A folder that is kept in sync by a process of its own, however often that dies and comes back. */
export class LinkProcess {
  readonly folder: string
  /** What it said, all lives together. */
  readonly said: LinkLine[] = []
  /** What it wrote to standard error, all lives together. */
  complaints = ''
  /** Called with each line. */
  heard: (line: LinkLine) => void = () => {}
  readonly #words: readonly string[]
  #child: ChildProcess | null = null

  constructor(options: LinkProcessOptions) {
    const { folder, state, run, hub, wins, settings = [], under = [] } = options
    this.folder = folder
    const where = ['--run', run, '--hub', hub.url, '--token', hub.token, '--state', state]
    const link = [command, 'link', folder, ...where, '--wins', wins, '--json', ...settings]
    this.#words = [...under, process.execPath, ...link]
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Begins a new life; resolves when it has said that it is linked, rejects if it ends before that. */
  async spawn(): Promise<void> {
    if (this.#child) throw new Error('this folder is already linked')
    const [program, ...words] = this.#words
    const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.once('exit', () => {
      this.#child = null
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints += text
    })
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (text) => {
      const line = Line.parse(JSON.parse(text))
      this.said.push(line)
      this.heard(line)
    })
    await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code, signal]) => {
        throw new Error(`link ended before it began (${signal ?? code}): ${this.complaints.slice(-2000)}`)
      }),
    ])
  }

  /** Resolves when the present life is over, by itself or not, with the exit code; null when a signal ended it. */
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
