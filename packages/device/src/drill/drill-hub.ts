import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Hub } from '@farhand/client/requests/hub'
import { Trouble } from '../trouble/trouble.ts'
import type { OwnCommand } from './own-command.ts'

/** The drill's own hub in another process. It can be killed, and started again with its data at the same address. */
export class DrillHub {
  readonly #data: string
  readonly #state: string
  readonly #command: OwnCommand
  #child: ChildProcess | null = null
  #ended: Promise<void> = Promise.resolve()
  #said = ''
  #port = '0'
  hub: Hub = { url: '' }

  /** `state` is the user's state folder, which lists agents that they added. */
  constructor(data: string, state: string, command: OwnCommand) {
    this.#data = data
    this.#state = state
    this.#command = command
  }

  get data(): string {
    return this.#data
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { self, env } = this.#command
    const [program, ...first] = self
    // The user's settings are meant for their own hub, except those for models.
    const others = Object.entries(env).filter(([name]) => !/^FARHAND_(?!MODEL)/.test(name))
    const where = ['--port', this.#port, '--data', this.#data]
    const child = spawn(program, [...first, 'hub', '--json', '--log-level', 'warn', ...where], {
      env: { ...Object.fromEntries(others), FARHAND_STATE: this.#state },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stderr.on('data', (text) => {
      this.#said = `${this.#said}${text}`.slice(-4000)
    })
    this.#ended = new Promise((resolve) => child.on('close', () => resolve()))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    if (done)
      throw new Trouble('failed', `The hub of the drill does not start: ${this.#said}`, 'Fix that first.')
    const { url, token } = JSON.parse(value) as { url: string; token: string | null }
    this.#port = new URL(url).port
    this.hub = { url, token: token ?? this.hub.token ?? '' }
  }

  /** Kills the hub's process with SIGKILL. */
  async kill(): Promise<number[]> {
    const pid = this.#child?.pid
    this.#child?.kill('SIGKILL')
    await this.#ended
    return pid === undefined ? [] : [pid]
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM')
    await this.#ended
  }
}
