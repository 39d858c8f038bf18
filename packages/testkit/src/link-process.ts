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
  /** Further arguments of the command line, such as `--gone delete`. */
  settings?: readonly string[]
  /** A command that starts it: the link's command line is added to its arguments. */
  under?: readonly string[]
}

/** A process that keeps a folder in sync, and can be restarted. */
export class LinkProcess extends ProgramProcess {
  readonly folder: string
  /** Its output, of all starts together. */
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

  /** Starts the process; resolves when it reports that the folder is linked, rejects if it ends before that. */
  async spawn(): Promise<void> {
    await this.begin(this.#words, (text) => {
      const line = Line.parse(JSON.parse(text))
      this.said.push(line)
      this.heard(line)
    })
  }
}
