import type { Author } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { DeviceId, SessionId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import { claimDevice, isDeviceOf } from './devices.ts'
import type { Principal } from './principal.ts'
import { readRunnerToken } from './runner-token.ts'
import type { Secret } from './secret.ts'
import { markTokenUsed, userByToken, wasRevoked } from './tokens.ts'

/**
 * Says who holds a token. An answer is remembered for a few seconds, because a busy writer asks thousands of times
 * a second; a token revoked by another process therefore works that much longer.
 */
export class SignIn {
  readonly #db: Kysely<Tables>
  readonly #secret: Secret
  /** How farhand is called on this machine. */
  readonly #command: string
  readonly #known = new Map<string, { principal: Principal; until: number }>()
  /** How often all were forgotten. */
  #forgotten = 0
  static readonly rememberMs = 3000
  static readonly mostRemembered = 10_000

  constructor(db: Kysely<Tables>, secret: Secret, command = 'farhand') {
    this.#db = db
    this.#command = command
    this.#secret = secret
  }

  /** Who it was a moment ago; undefined if that has to be looked up. */
  known(token: string, deviceId: string | undefined): Principal | undefined {
    const known = this.#known.get(nameOf(token, deviceId))
    return known && known.until > performance.now() ? known.principal : undefined
  }

  /**
   * The principal behind the token; a user's token may speak for one of the user's devices. Who writes with one that nobody has
   * written with makes it theirs.
   */
  async principal(token: string, deviceId: string | undefined, isWriting = false): Promise<Principal> {
    const before = this.#forgotten
    const principal = await this.#lookUp(token, deviceId)
    if (!(await this.#isDeviceOf(principal, isWriting))) return principal
    // It may have been taken away while it was looked up: then it must not be known from now on.
    if (before !== this.#forgotten) return principal
    // Wrong tokens are not remembered: guessing must not push the right ones out.
    if (this.#known.size >= SignIn.mostRemembered) this.#known.clear()
    this.#known.set(nameOf(token, deviceId), { principal, until: performance.now() + SignIn.rememberMs })
    return principal
  }

  /** True if it speaks for no device, or for one of its own. */
  async #isDeviceOf(who: Principal, isWriting: boolean): Promise<boolean> {
    if (who.kind !== 'user' || who.author.kind !== 'device') return true
    const device = DeviceId.parse(who.author.id)
    if (await isDeviceOf(this.#db, who.user, device)) return true
    if (!isWriting) return false
    try {
      await claimDevice(this.#db, who.user, device, new Date())
      return true
    } catch (error) {
      if (error instanceof Fault) throw error
      // On a full disk what is to be written is refused with better words than these.
      return false
    }
  }

  /** From now on every token is looked up again: one of them was taken away. */
  forget(): void {
    this.#known.clear()
    this.#forgotten += 1
  }

  /** Whether the token would still be let in. Trouble in finding out is no answer: then it is. */
  async isGood(token: string): Promise<boolean> {
    return this.#lookUp(token, undefined).then(
      () => true,
      (error) => !isRejectedToken(error),
    )
  }

  async #lookUp(token: string, deviceId: string | undefined): Promise<Principal> {
    const runner = readRunnerToken(this.#secret, token)
    if (runner)
      return { kind: 'runner', ...runner, author: { kind: 'runner', generation: runner.generation } }
    const known = await userByToken(this.#db, token)
    if (!known) {
      const [code, why] = (await wasRevoked(this.#db, token))
        ? (['token.revoked', 'was taken away'] as const)
        : (['token.invalid', 'is not known here'] as const)
      throw new Fault(
        code,
        `this token ${why}; "${this.#command} user token <name>" on the machine of the hub makes a new one`,
      )
    }
    // A disk too full to note it must not shut out those who only want to read.
    await markTokenUsed(this.#db, known.tokenId, new Date()).catch(() => {})
    return {
      kind: 'user',
      user: known.user.id,
      name: known.user.name,
      role: known.user.role,
      author: authorOf(known.user.id, deviceId),
      session: SessionId.safeParse(known.tokenId).data ?? null,
    }
  }
}

/** Whether this says that a token opens nothing, and not only that nobody could find out. */
export const isRejectedToken = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'token.invalid' || error.code === 'token.revoked')

const nameOf = (token: string, deviceId: string | undefined) =>
  deviceId === undefined ? token : `${token} ${deviceId}`

function authorOf(user: string, deviceId: string | undefined): Author {
  if (deviceId === undefined) return { kind: 'web', id: user }
  const device = DeviceId.safeParse(deviceId)
  if (!device.success) {
    throw new Fault('request.malformed', 'device-id: expected an id like dev_4fJ2...', { field: 'device-id' })
  }
  return { kind: 'device', id: device.data }
}
