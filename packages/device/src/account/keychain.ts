import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { KeychainAnswer, KeychainAsk } from './keychain-entry.ts'

const Answer = z.object({ token: z.string().nullable() })

/** A locked keychain asks a person, who may not be there. */
const patienceMs = 3_000

/**
 * The keychain of this system. What it is asked is done by a process of its own, as nothing else can be sure to end; the
 * token goes by way of a pipe and is in no argument.
 */
export class Keychain {
  readonly #self: readonly [string, ...string[]]
  readonly #limitMs: number

  /** `self` is the program and its first arguments, which is then told `keychain`. */
  constructor(self: readonly [string, ...string[]], limitMs = patienceMs) {
    this.#self = self
    this.#limitMs = limitMs
  }

  get(name: string): string | null {
    return this.#ask({ do: 'get', name })?.token ?? null
  }

  /** Whether it is there now, for certain. */
  set(name: string, token: string): boolean {
    return this.#ask({ do: 'set', name, token })?.token === token
  }

  delete(name: string): void {
    this.#ask({ do: 'delete', name })
  }

  /** Whether something can be kept in there, and is gone when it is taken out. */
  works(): boolean {
    const [name, token] = [`probe ${randomBytes(8).toString('hex')}`, randomBytes(8).toString('hex')]
    if (!this.set(name, token)) return false
    return this.#ask({ do: 'delete', name })?.token === null
  }

  /** Null if it did not answer: there is none, or it is locked. */
  #ask(ask: KeychainAsk): KeychainAnswer | null {
    const [program, ...first] = this.#self
    const { stdout } = spawnSync(program, [...first, 'keychain'], {
      input: JSON.stringify(ask),
      timeout: this.#limitMs,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    try {
      return Answer.parse(JSON.parse(stdout))
    } catch {
      return null
    }
  }
}
