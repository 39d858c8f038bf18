import { follow } from '@farhand/client/follow'
import type { Hub } from '@farhand/client/hub'
import { StatusChange } from '@farhand/protocol/methods/session'
import type { RunAddress } from '@farhand/protocol/routes'
import { Trouble } from '../trouble.ts'
import type { World } from '../world.ts'

/** Longer than a hub takes to look for an agent; one that is busy with others is not waited for. */
const lookMs = 3_000

/**
 * For an agent that nobody here knows: only the hub can say whether it has one of that name. Resolves when it makes a place
 * for the new run, or does not say; trouble if it has none for it.
 */
export async function refuseUnknown(
  { hub, at }: { hub: Hub; at: RunAddress },
  { stop, called }: World,
): Promise<void> {
  const enough = AbortSignal.timeout(lookMs)
  try {
    for await (const { notification } of follow(hub, at, { signal: AbortSignal.any([stop, enough]) })) {
      if (notification.method !== '_posthog/status') continue
      const change = StatusChange.safeParse(notification.params).data
      if (change?.status === 'failed')
        throw new Trouble(
          'usage',
          change.reason ?? 'The hub has no sandbox for this run.',
          `Nothing was sent, and nothing was begun. \`${called.farhand} agents\` lists the agents that are known here.`,
        )
      if (change && change.status !== 'queued') return
    }
  } catch (error) {
    if (!enough.aborted || error instanceof Trouble) throw error
  }
}
