import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { LocalHub } from '../../packages/device/src/local-hub/local-hub.ts'
import { farhandBin } from '../../packages/farhand/src/farhand-under-test.ts'
import type { AgentUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { userUnderTest } from '../../packages/testkit/src/real-agents/user-under-test.ts'

/** A line that the command prints with `--json`. */
export type Line = {
  event?: string
  run?: string
  messageId?: number
  notification?: { method: string; params?: Record<string, unknown> }
}

/** An event as it stands in the log. */
export type LoggedEvent = {
  id: number
  notification: { method: string; params: Readonly<Record<string, unknown>> }
}

/** A user with an empty home who has installed one agent, and a project in git. */
export class User {
  readonly home = mkdtempSync(path.join(tmpdir(), 'farhand-user-'))
  readonly project = path.join(this.home, 'project')
  readonly state = path.join(this.home, '.local', 'state', 'farhand')
  readonly #env: Record<string, string>

  constructor(agent: AgentUnderTest, llmUrl: string) {
    const { env, bin } = userUnderTest(agent, { home: this.home, state: this.state, llmUrl })
    // Agents leave things in the folder for temporary files: they go with the home.
    const folders = { HOME: this.home, TMPDIR: this.home }
    this.#env = { ...env, ...folders, PATH: `${bin}:${process.env.PATH ?? ''}`, LANG: 'C.UTF-8' }
    mkdirSync(this.project)
    execFileSync('git', ['init', '-q', this.project])
  }

  /** Runs the command to its end; `heard` is told every line of JSON that it prints. */
  async farhand(args: readonly string[], heard: (line: Line) => void = () => {}): Promise<string> {
    const child = spawn(process.execPath, [farhandBin, ...args], {
      cwd: this.project,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const lines = createInterface({ input: child.stdout })
    const ended = new Promise((resolve) => child.once('close', resolve))
    for await (const line of lines) {
      said += `${line}\n`
      if (line.startsWith('{')) heard(JSON.parse(line) as Line)
    }
    await ended
    return said
  }

  text(name: string): string | null {
    const file = path.join(this.project, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.project, name), text)
  }

  /** What the log of a run holds, as it stands on the disk of the hub, which may be dead just now. */
  events(run: string): LoggedEvent[] {
    const file = path.join(this.state, 'hub', 'logs', `${run}.jsonl`)
    // A line that has no end yet is still being written.
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as LoggedEvent)
  }

  /** The process of their hub. */
  get hubPid(): number | null {
    return new LocalHub(this.state).running?.pid ?? null
  }

  async leave(): Promise<void> {
    await this.farhand(['hub', 'stop'])
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 })
  }
}
