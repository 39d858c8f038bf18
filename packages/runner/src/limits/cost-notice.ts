import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { type Budget, costUntold, tellsCost } from './budget.ts'

/** Stop reasons of turns that the agent worked on and ended itself, with their cost. */
const ownEnds = new Set(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal'])

/**
 * A notice to users that their cost limit has no effect because the agent reported no cost when its turn ended; null
 * if it did, if there is no such limit, or if the users know.
 */
export function costNotice(
  budget: Budget,
  { stopReason, usage }: { stopReason: string; usage?: unknown },
): Notification | null {
  const most = budget.limits.costUsd ?? null
  if (most === null || budget.isCostTold || budget.isUntoldSaid) return null
  if (!ownEnds.has(stopReason) || tellsCost(usage)) return null
  const message = `The agent does not report its cost, so the limit of $${most.toFixed(2)} has no effect. Limit turns or time instead.`
  return event('console', { level: 'warn', message, about: costUntold })
}
