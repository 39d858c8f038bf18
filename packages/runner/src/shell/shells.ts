import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import type { Notification } from '@farhand/protocol/event'
import type { Orders } from '../turns/orders.ts'

/** Output that comes together is said together, in pieces that a reader can take. */
const pieceLength = 64 * 1024

export type ShellsParts = {
  orders: Orders
  cwd: string
  env: Readonly<Record<string, string>>
  say: (event: Notification) => void
  /** What a runner before this one had begun is not begun again. */
  generation: number
}

/** The commands that people run in the workspace, beside the agent. Each is begun at most once. */
export class Shells {
  readonly #parts: ShellsParts
  readonly #running = new Map<string, () => void>()

  constructor(parts: ShellsParts) {
    this.#parts = parts
  }

  /** The log has been read further: begins what was asked for, and tells of what died with an earlier runner. */
  heard(): void {
    const { orders, generation } = this.#parts
    for (const [id, { command, begunBy }] of [...orders.openShells]) {
      // From here on it is ours: what we say of it is not read back.
      orders.openShells.delete(id)
      if (begunBy === null) this.#run(id, command)
      else if (begunBy < generation) this.#lost(id)
    }
  }

  /** Ends all that are running. */
  stop(): void {
    for (const kill of this.#running.values()) kill()
  }

  #lost(id: string): void {
    this.#output({ id, stderr: 'It was cut short: the sandbox ended while it ran.\n', exitCode: null })
  }

  #run(id: string, command: string): void {
    const { cwd, env } = this.#parts
    // The first word about it, whatever it prints: the next runner must know that it was begun.
    this.#output({ id, stdout: '' })
    const child = spawn('sh', ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.set(id, () => kill(child.pid))
    for (const name of ['stdout', 'stderr'] as const) {
      const decoder = new StringDecoder()
      const say = (text: string) => {
        for (let at = 0; at < text.length; at += pieceLength)
          this.#output({ id, [name]: text.slice(at, at + pieceLength) })
      }
      child[name].on('data', (bytes: Buffer) => say(decoder.write(bytes)))
      child[name].on('end', () => say(decoder.end()))
    }
    const over = (exitCode: number | null, stderr?: string) => {
      this.#running.delete(id)
      this.#output({ id, exitCode, ...(stderr && { stderr }) })
    }
    child.once('error', (error) => over(null, `${error.message}\n`))
    child.once('close', (code) => {
      if (this.#running.has(id)) over(code)
    })
  }

  #output(params: Record<string, unknown>): void {
    this.#parts.say({ jsonrpc: '2.0', method: '_posthog/sandbox_output', params })
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
