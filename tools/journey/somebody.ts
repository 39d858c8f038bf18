import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { userUnderTest } from '../../packages/testkit/src/real-agents/user-under-test.ts'
import { Terminal } from '../transcript/terminal.ts'
import { type ClonedProject, clonedProject } from './cloned-project.ts'

/** What agents say of a tool that has ended, with the model that they have here. */
const toolSaid = /The tool said: /
const asked = /Press \d-\d/
const spinner = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /m
const askedOrDone = /Press \d-\d|The tool said: /

type Env = Readonly<Record<string, string>>

/** The command that was installed, where programs are found, whose home this is, and the model that they use. */
type Place = { command: string; path: string; home: string; llmUrl: string }

/** Somebody who has cloned a project, and has an agent work on it for the first time. */
export class Somebody {
  readonly project: ClonedProject
  readonly #env: Env
  readonly #state: string
  readonly #command: string
  #terminal: Terminal

  constructor(agent: AgentUnderTest, files: Env, place: Place) {
    const { home, command, path: found } = place
    this.#state = path.join(home, '.local', 'state', 'farhand')
    const { bin, env: own } = userUnderTest(agent, { home, state: this.#state, llmUrl: place.llmUrl })
    const atTerminal = { LANG: 'C.UTF-8', TERM: 'tmux-256color', PS1: '$ ' }
    this.#env = { ...own, ...atTerminal, HOME: home, TMPDIR: home, PATH: `${bin}:${found}` }
    this.#command = command
    this.project = clonedProject(home, files, this.#env)
    this.#terminal = this.#opened()
  }

  #opened(): Terminal {
    return new Terminal({ columns: 120, rows: 50, cwd: this.project.folder, env: this.#env })
  }

  /** Closes the window in the middle of whatever it shows, and opens another. */
  closesTheWindow(): void {
    this.#terminal.close()
    this.#terminal = this.#opened()
  }

  /** Types a line; resolves when this is to be seen. */
  async types(line: string, until: RegExp): Promise<void> {
    await this.#terminal.enters(line, until)
  }

  /** Types a line after which somebody is asked. */
  async isAsked(line: string): Promise<void> {
    await this.#terminal.enters(line, asked)
  }

  /** Allows what is asked; resolves when that was done, and the agent has said so. */
  async allows(): Promise<void> {
    await this.#terminal.until(toolSaid, () => this.#terminal.press('y'))
  }

  /** Has the agent do something, and allows it if that is asked; gives what the agent was told by its tool. */
  async hasDone(line: string): Promise<string> {
    await this.#terminal.enters(line, askedOrDone)
    if (this.#isAsked) await this.allows()
    // Until then it may be in the middle of a word.
    await this.#terminal.shows(
      'the end of the turn',
      (screen) => /\n>$/.test(screen) && !spinner.test(screen),
    )
    return this.#terminal.text().split(toolSaid).at(-1)!.split('\n')[0]!.trim()
  }

  /** Where somebody can answer, nothing else is below. */
  get #isAsked(): boolean {
    return asked.test(this.#terminal.text().split('\n').at(-1) ?? '')
  }

  /** Has the shell do this. */
  async runs(line: string): Promise<void> {
    await this.#terminal.runs(line)
  }

  text(name: string): string {
    return readFileSync(path.join(this.project.folder, name), 'utf8')
  }

  /** How the agents of all runs began, in their order. */
  begun(): unknown[] {
    const logs = path.join(this.#state, 'hub', 'logs')
    const lines = readdirSync(logs)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(path.join(logs, name), 'utf8').trim().split('\n'))
    return lines
      .map((line) => JSON.parse(line).notification)
      .flatMap(({ method, params }) => (method === '_posthog/agent_start' ? [params.how] : []))
  }

  /** What the window shows, and has shown. */
  get screen(): string {
    return this.#terminal.text()
  }

  /** Closes the window for good, and ends the hub. */
  leaves(): void {
    this.#terminal.close()
    execFileSync(this.#command, ['hub', 'stop'], { env: this.#env, cwd: this.project.folder, stdio: 'pipe' })
  }

  /** What works for them in the background. */
  processes(): string[] {
    return processesOf(this.#env.HOME!)
  }
}

/** The processes of whoever has this home. */
function processesOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return env.includes(`HOME=${home}`) && words !== '' ? [`${pid}: ${words}`] : []
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
}
