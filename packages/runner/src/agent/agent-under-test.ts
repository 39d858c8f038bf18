import type childProcess from 'node:child_process'
import type fs from 'node:fs'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type AgentOptions, startAgent } from './acp-agent.ts'
import type { Agent, AgentAsk, AgentCommand, AgentUpdate } from './agent.ts'

/** What a scripted agent can do; it answers a request with what its function returns or throws. */
export type Hands = {
  childProcess: typeof childProcess
  fs: typeof fs
  process: NodeJS.Process
  write(bytes: string | Uint8Array): void
  send(frame: object): void
  notify(method: string, params: object): void
  update(update: object, sessionId?: string): void
  say(text: string): void
  ask(method: string, params: object, id?: number | string): Promise<unknown>
  heard(method: string): Promise<unknown>
}

/** What it does for each method, and first of all. The functions run in its process: they see nothing but their arguments. */
export type Script = Partial<Record<string, (hands: Hands, params: never) => unknown>>

const program = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url))

/** The command of an agent that follows the script. */
export function scripted(script: Script, env: Record<string, string> = {}): AgentCommand {
  const texts = Object.fromEntries(Object.entries(script).map(([method, act]) => [method, String(act)]))
  return { command: process.execPath, args: [program, JSON.stringify(texts)], env, cwd: tmpdir() }
}

/** Hears everything in order, and lets a test wait for it. */
export class Heard {
  readonly updates: AgentUpdate[] = []
  readonly asks: AgentAsk[] = []
  readonly unknown: string[] = []
  readonly #waiting: { isSo: () => boolean; go: () => void }[] = []

  readonly handlers = {
    update: (update: AgentUpdate) => this.#add(this.updates, update),
    asked: (ask: AgentAsk) => this.#add(this.asks, ask),
    unknown: (frame: string) => this.#add(this.unknown, frame),
  }

  /** What the agent said in words. */
  get texts(): string[] {
    return this.updates.flatMap(({ content }) => (content as { text?: string } | undefined)?.text ?? [])
  }

  /** Resolves as soon as something is heard that makes it so. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((go) => {
      if (isSo()) go()
      else this.#waiting.push({ isSo, go })
    })
  }

  async ask(): Promise<AgentAsk> {
    await this.until(() => this.asks.length > 0)
    return this.asks.shift()!
  }

  #add<Item>(list: Item[], item: Item): void {
    list.push(item)
    for (const { isSo, go } of this.#waiting) if (isSo()) go()
  }
}

export type Playing = { agent: Agent; heard: Heard }

/** Starts an agent that follows the script; it is ended when the test is over. */
export async function play(
  script: Script,
  options: AgentOptions = {},
  env?: Record<string, string>,
): Promise<Playing> {
  const heard = new Heard()
  const agent = await startAgent(scripted(script, env), heard.handlers, options)
  onTestFinished(async () => {
    await agent.stop()
  })
  return { agent, heard }
}

/** The same, and in a session already. */
export async function playInSession(script: Script, options?: AgentOptions): Promise<Playing> {
  const playing = await play(script, options)
  await playing.agent.newSession()
  return playing
}

export const words = (text: string) => [{ type: 'text' as const, text }]

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-agent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Whether a process is at work; a zombie is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
