import type { Hub } from '@farhand/client/requests/hub'
import { refreshDevice } from '@farhand/client/resources/accounts'
import { HubTokens } from '@farhand/sync/state/hub-tokens'
import { lockTokens } from './lock-tokens.ts'
import { isWorthRenewing } from './worth-renewing.ts'

/** How long the stored tokens are believed to be the same: another process may renew them. */
const believedMs = 30_000
/** How long a request waits for a renewal, and how long none is tried after one that failed. */
const patienceMs = 10_000
const pauseMs = 10 * 60_000

export type RenewalParts = {
  /** Sends the request for the next tokens. */
  fetch?: Hub['fetch']
  now?: () => number
}

/**
 * This computer's token at a hub to which it is bound. It is renewed silently when it ends soon: by one of the processes that use it,
 * and the others take what that one has stored.
 */
export class DeviceToken {
  readonly #url: string
  readonly #parts: RenewalParts
  readonly #tokens: HubTokens
  #read: { token: string; atMs: number } | null = null
  #renewing: Promise<void> | null = null
  #triedMs = Number.NEGATIVE_INFINITY

  constructor(stateRoot: string, url: string, parts: RenewalParts = {}) {
    this.#url = url
    this.#parts = parts
    this.#tokens = new HubTokens(stateRoot)
  }

  /** The token for the next request; null if this computer is no longer bound. A renewal that fails leaves the present one. */
  async current(): Promise<string | null> {
    const nowMs = this.#now()
    if (this.#read && nowMs - this.#read.atMs < believedMs && nowMs >= this.#read.atMs)
      return this.#read.token
    const bound = this.#tokens.boundAs(this.#url)
    if (!bound) return null
    if (isWorthRenewing(bound.expiresAt, nowMs) && Math.abs(nowMs - this.#triedMs) >= pauseMs) {
      this.#renewing ??= this.#renew().finally(() => {
        this.#triedMs = nowMs
        this.#renewing = null
      })
      // Refused or out of reach: the request itself says so.
      await this.#renewing.catch(() => {})
    }
    const token = this.#tokens.of(this.#url)
    if (token !== null) this.#read = { token, atMs: nowMs }
    return token
  }

  async #renew(): Promise<void> {
    const lock = await lockTokens(this.#tokens, this.#url, AbortSignal.timeout(patienceMs))
    try {
      const bound = this.#tokens.boundAs(this.#url)
      const refresh = this.#tokens.refreshOf(this.#url)
      // Another process was quicker, or the user has signed out.
      if (!bound || refresh === null || !isWorthRenewing(bound.expiresAt, this.#now())) return
      const isInKeychain = !('token' in (this.#tokens.note(this.#url) ?? {}))
      const { fetch } = this.#parts
      const hub: Hub = { url: this.#url, ...(fetch && { fetch }) }
      const next = await refreshDevice(hub, refresh, { answerMs: patienceMs })
      // A lock does not outlive all: what the user has bound or deleted meanwhile stays so.
      if (this.#tokens.refreshOf(this.#url) !== refresh) return
      // Stored before it is used: once the new token was used, the old refresh token is worth nothing.
      this.#tokens.keepBound(
        this.#url,
        { token: next.acp_token, refresh: next.refresh_token },
        { ...bound, device: next.device_id, expiresAt: next.expires_at },
      )
      if (isInKeychain) this.#tokens.moveToKeychain(this.#url)
    } finally {
      lock.release()
    }
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now()
  }
}
