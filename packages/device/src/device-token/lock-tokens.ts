import { sleep } from '@farhand/kit/sleep'
import type { HubTokens } from '@farhand/sync/state/hub-tokens'
import type { StateLock } from '@farhand/sync/state/lock-state'

const lookAgainMs = 50

/** Waits until no other process, nor another thread of this one, renews, replaces or deletes the token for this hub. */
export async function lockTokens(
  tokens: HubTokens,
  url: string,
  signal: AbortSignal,
): Promise<Extract<StateLock, { release: unknown }>> {
  for (;;) {
    const lock = tokens.lock(url)
    if ('release' in lock) return lock
    await sleep(lookAgainMs, { signal })
  }
}

/** Longer than a lock lives: it is had in the end. */
const patienceMs = 30_000

/** Does this while no other process, nor another thread of this one, renews or replaces the token for this hub. */
export async function withTokensLocked<Result>(
  tokens: HubTokens,
  url: string,
  act: () => Result,
): Promise<Result> {
  const lock = await lockTokens(tokens, url, AbortSignal.timeout(patienceMs))
  try {
    return act()
  } finally {
    lock.release()
  }
}
