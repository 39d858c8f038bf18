import type { Author } from '@farhand/protocol/event'
import { Fault } from '@farhand/protocol/faults'
import { DeviceId } from '@farhand/protocol/ids'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import type { Principal } from './principal.ts'
import { readRunnerToken } from './runner-token.ts'
import type { Secret } from './secret.ts'
import { userByToken } from './tokens.ts'

type Known = Awaited<ReturnType<typeof userByToken>>

/**
 * Says who holds a token. An answer is remembered for a few seconds, because a busy writer asks thousands of times
 * a second; a token revoked by another process therefore works that much longer.
 */
export class SignIn {
  readonly #db: Kysely<Tables>
  readonly #secret: Secret
  readonly #known = new Map<string, { known: Known; until: number }>()
  static readonly rememberMs = 3000
  static readonly mostRemembered = 10_000

  constructor(db: Kysely<Tables>, secret: Secret) {
    this.#db = db
    this.#secret = secret
  }

  /** The principal behind the token; a user's token may speak for one of the user's devices. */
  async principal(token: string, deviceId: string | undefined): Promise<Principal> {
    const runner = readRunnerToken(this.#secret, token)
    if (runner)
      return { kind: 'runner', ...runner, author: { kind: 'runner', generation: runner.generation } }
    const known = await this.#lookUp(token)
    if (!known) {
      throw new Fault(
        'token.invalid',
        'this token is not known here; make a new one with "farhand user token <name>"',
      )
    }
    return {
      kind: 'user',
      user: known.user.id,
      role: known.user.role,
      author: authorOf(known.user.id, deviceId),
    }
  }

  async #lookUp(token: string): Promise<Known> {
    const remembered = this.#known.get(token)
    if (remembered && remembered.until > Date.now()) return remembered.known
    const known = await userByToken(this.#db, token)
    // Wrong tokens are not remembered: guessing must not push the right ones out.
    if (known) {
      if (this.#known.size >= SignIn.mostRemembered) this.#known.clear()
      this.#known.set(token, { known, until: Date.now() + SignIn.rememberMs })
    } else {
      this.#known.delete(token)
    }
    return known
  }
}

function authorOf(user: string, deviceId: string | undefined): Author {
  if (deviceId === undefined) return { kind: 'web', id: user }
  const device = DeviceId.safeParse(deviceId)
  if (!device.success) {
    throw new Fault('request.malformed', 'device-id: expected an id like dev_4fJ2...', { field: 'device-id' })
  }
  return { kind: 'device', id: device.data }
}
