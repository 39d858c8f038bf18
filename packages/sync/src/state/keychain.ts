import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import process from 'node:process'

/** What is wanted of the keychain. */
export type KeychainAsk = { do: 'get' | 'delete'; name: string } | { do: 'set'; name: string; token: string }

/** What is in the keychain afterwards under that name; null if nothing is. */
export type KeychainAnswer = { token: string | null }

/** A locked keychain asks the user, who may be away. */
const patienceMs = 3_000

/**
 * The keychain of this system. A separate process asks it, because only a process can be stopped for certain; the token goes
 * through a pipe and is in no argument.
 */
export class Keychain {
  readonly #self: readonly [string, ...string[]]
  readonly #limitMs: number

  /** `self` is the program and its first arguments, which is called with `keychain`: this very command. */
  constructor(
    self: readonly [string, ...string[]] = [process.execPath, process.argv[1] ?? ''],
    limitMs = patienceMs,
  ) {
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
      const { token } = JSON.parse(stdout)
      return token === null || typeof token === 'string' ? { token } : null
    } catch {
      return null
    }
  }
}
