import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { type Budget, costUntold, tellsCost } from './budget.ts'

/** With which an agent ends a turn that it has worked on, and of which it would have told the cost. */
const ownEnds = new Set(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal'])

/**
 * A word to people whose limit on cost stops nothing, as a turn ends after which their agent should have told what it
 * costs; null if it has, if there is no such limit, or if they know.
 */
export function costNotice(
  budget: Budget,
  { stopReason, usage }: { stopReason: string; usage?: unknown },
): Notification | null {
  const most = budget.limits.costUsd ?? null
  if (most === null || budget.isCostTold || budget.isUntoldSaid) return null
  if (!ownEnds.has(stopReason) || tellsCost(usage)) return null
  const message = `The agent does not tell what it costs, so the limit of $${most.toFixed(2)} does not stop it. A limit on turns or on time would.`
  return event('console', { level: 'warn', message, about: costUntold })
}
