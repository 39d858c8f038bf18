import type { Author } from '@farhand/protocol/wire/event'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { DeviceId, SessionId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import { markDeviceSeen } from './bound-devices.ts'
import { claimDevice, standingOf } from './devices.ts'
import type { Principal } from './principal.ts'
import { isGuestToken, linkOfToken } from './run-links.ts'
import { readRunnerToken } from './runner-token.ts'
import type { Secret } from './secret.ts'
import { usualSessionMs } from './sessions.ts'
import { markTokenUsed, type TokenUse, userByToken, whyNotValid } from './tokens.ts'

/**
 * Looks up the user or runner of a token. The result is cached for a few seconds, because a busy writer sends thousands of requests a
 * second; a token that another process revokes therefore works that much longer.
 */
export class SignIn {
  readonly #db: Db
  readonly #secret: Secret
  /** The command that users type on this machine to run farhand. */
  readonly #command: string
  readonly #sessionMs: number
  readonly #known = new Map<string, { principal: Principal; until: number }>()
  /** How often the cache was cleared. */
  #forgotten = 0
  static readonly rememberMs = 3000
  static readonly mostRemembered = 10_000

  constructor(db: Db, secret: Secret, command = 'farhand', sessionMs = usualSessionMs) {
    this.#db = db
    this.#command = command
    this.#secret = secret
    this.#sessionMs = sessionMs
  }

  /** The cached principal; undefined if it has to be looked up. */
  known(token: string, deviceId: string | undefined): Principal | undefined {
    const known = this.#known.get(nameOf(token, deviceId))
    return known && known.until > performance.now() ? known.principal : undefined
  }

  /**
   * The principal of the token. A request with a user's token may name one of the user's devices, with a device's token that device or
   * a folder on it (W75). The id of a folder that no user has written with becomes this user's at the first write.
   */
  async principal(token: string, deviceId: string | undefined, isWriting = false): Promise<Principal> {
    const before = this.#forgotten
    const principal = await this.#lookUp(token, deviceId)
    if (!(await this.#isDeviceOf(principal, isWriting))) return principal
    // The token may have been revoked during the lookup: then it must not be cached.
    if (before !== this.#forgotten) return principal
    // Only valid tokens are cached: guesses must not evict them.
    if (this.#known.size >= SignIn.mostRemembered) this.#known.clear()
    this.#known.set(nameOf(token, deviceId), { principal, until: performance.now() + SignIn.rememberMs })
    return principal
  }

  /** True if the request names no device, or one of the user's own. */
  async #isDeviceOf(who: Principal, isWriting: boolean): Promise<boolean> {
    if (who.kind !== 'user' || who.author.kind !== 'device') return true
    const device = DeviceId.parse(who.author.id)
    // Its token is valid, so it is not revoked.
    if (device === who.device) return true
    if ((await standingOf(this.#db, who, device)) === 'own') return true
    if (!isWriting) return false
    try {
      await claimDevice(this.#db, who, device, new Date())
      return true
    } catch (error) {
      if (error instanceof Fault) throw error
      // On a full disk the write itself fails later with a better message.
      return false
    }
  }

  /** Clears the cache after a token was revoked. */
  forget(): void {
    this.#known.clear()
    this.#forgotten += 1
  }

  /** Whether the token is still valid; true if that cannot be determined. That does not count as a use: an open page must expire. */
  async isGood(token: string): Promise<boolean> {
    return this.#find(token).then(
      () => true,
      (error) => !isRejectedToken(error),
    )
  }

  /** Throws if the token is not valid. */
  async #find(token: string) {
    const runner = readRunnerToken(this.#secret, token)
    if (runner) return { runner }
    if (isGuestToken(token)) return { guest: await this.#guest(token) }
    const user = await userByToken(this.#db, token)
    if (user) return { user }
    const [code, why] = refusals[await whyNotValid(this.#db, token)]
    throw new Fault(
      code,
      `this token ${why}; sign in again, or "${this.#command} user token <name>" on the machine of the hub makes a new one`,
    )
  }

  async #lookUp(token: string, deviceId: string | undefined): Promise<Principal> {
    const { runner, guest, user: known } = await this.#find(token)
    if (runner)
      return { kind: 'runner', ...runner, author: { kind: 'runner', generation: runner.generation } }
    if (guest) return guest
    // A full disk must not prevent reading.
    await this.#markUsed(known, new Date()).catch(() => {})
    return {
      kind: 'user',
      user: known.user.id,
      name: known.user.name,
      role: known.user.role,
      author: authorOf(known, deviceId),
      session: SessionId.safeParse(known.tokenId).data ?? null,
      device: known.device,
      tokenId: known.tokenId,
    }
  }

  /** The holder of the link of a shared run (W114). */
  async #guest(token: string): Promise<Principal> {
    const link = await linkOfToken(this.#db, token, new Date())
    if (!link) throw new Fault('token.invalid', 'this link was revoked or is incomplete; ask for a new one')
    if (link.isExpired) throw new Fault('token.expired', 'this link has expired; ask for a new one')
    const { id, run, expiresAt } = link
    return { kind: 'guest', run, link: id, expiresAt, author: { kind: 'web', id } }
  }

  async #markUsed(use: TokenUse, now: Date): Promise<void> {
    await markTokenUsed(this.#db, use, now, this.#sessionMs)
    if (use.kind === 'device' && use.device !== null) await markDeviceSeen(this.#db, use.device, now)
  }
}

const refusals = {
  revoked: ['token.revoked', 'was taken away'],
  expired: ['token.expired', 'has expired'],
  unknown: ['token.invalid', 'is not known here'],
} as const

/** Whether the error means that the token is invalid, expired or revoked, not that the lookup failed. */
const isRejectedToken = (error: unknown): boolean =>
  error instanceof Fault && Object.values(refusals).some(([code]) => code === error.code)

const nameOf = (token: string, deviceId: string | undefined) =>
  deviceId === undefined ? token : `${token} ${deviceId}`

function authorOf({ user, kind, device: bound }: TokenUse, deviceId: string | undefined): Author {
  if (deviceId === undefined)
    return kind === 'device' && bound !== null ? { kind: 'device', id: bound } : { kind: 'web', id: user.id }
  const device = DeviceId.safeParse(deviceId)
  if (!device.success) {
    throw malformed('device-id', 'expected an id like dev_4fJ2...')
  }
  return { kind: 'device', id: device.data }
}
