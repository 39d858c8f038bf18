import { z } from 'zod'
import { command, ProgramProcess } from './program-process.ts'

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
export class LinkProcess extends ProgramProcess {
  readonly folder: string
  /** What it said, all lives together. */
  readonly said: LinkLine[] = []
  /** Called with each line. */
  heard: (line: LinkLine) => void = () => {}
  readonly #words: readonly string[]

  constructor(options: LinkProcessOptions) {
    super('the link')
    const { folder, state, run, hub, wins, settings = [], under = [] } = options
    this.folder = folder
    const where = ['--run', run, '--hub', hub.url, '--token', hub.token, '--state', state]
    const link = [command, 'link', folder, ...where, '--wins', wins, '--json', ...settings]
    this.#words = [...under, process.execPath, ...link]
  }

  /** Begins a new life; resolves when it has said that it is linked, rejects if it ends before that. */
  async spawn(): Promise<void> {
    await this.begin(this.#words, (text) => {
      const line = Line.parse(JSON.parse(text))
      this.said.push(line)
      this.heard(line)
    })
  }
}
