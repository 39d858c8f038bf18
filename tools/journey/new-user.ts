import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { userUnderTest } from '../../packages/testkit/src/real-agents/user-under-test.ts'
import { Terminal } from '../transcript/terminal.ts'
import { type ClonedProject, clonedProject } from './cloned-project.ts'

/** How agents report the result of a tool, with the scripted model. */
const toolSaid = /The tool said: /
const asked = /Press \d-\d/
const spinner = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /m
const askedOrDone = /Press \d-\d|The tool said: /

type Env = Readonly<Record<string, string>>

/** The installed command, the PATH, the user's home, and the address of the model. */
type Place = { command: string; path: string; home: string; llmUrl: string }

/** A user who has cloned a project, and has an agent work on it for the first time. */
export class NewUser {
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

  /** Closes the terminal window at any moment, and opens another. */
  closesTheWindow(): void {
    this.#terminal.close()
    this.#terminal = this.#opened()
  }

  /** Types a line; resolves when the screen shows `until`. */
  async types(line: string, until: RegExp): Promise<void> {
    await this.#terminal.enters(line, until)
  }

  /** Types a line; resolves when a question is shown. */
  async isAsked(line: string): Promise<void> {
    await this.#terminal.enters(line, asked)
  }

  /** Allows what is asked; resolves when the agent has reported the result. */
  async allows(): Promise<void> {
    await this.#terminal.until(toolSaid, () => this.#terminal.press('y'))
  }

  /** Has the agent do something, and allows it if asked; returns the result of the agent's tool. */
  async hasDone(line: string): Promise<string> {
    await this.#terminal.enters(line, askedOrDone)
    if (this.#isAsked) await this.allows()
    // Before that the screen may show half a word.
    await this.#terminal.shows(
      'the end of the turn',
      (screen) => /\n>$/.test(screen) && !spinner.test(screen),
    )
    return this.#terminal.text().split(toolSaid).at(-1)!.split('\n')[0]!.trim()
  }

  /** A question that waits for an answer is the last line. */
  get #isAsked(): boolean {
    return asked.test(this.#terminal.text().split('\n').at(-1) ?? '')
  }

  /** Runs a line in the shell. */
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

  /** The user's background processes. */
  processes(): string[] {
    return processesOf(this.#env.HOME!)
  }
}

/** The processes with this home. */
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
