import { type CatchUp, scheduleLimits } from '@farhand/protocol/schemas/schedules'
import { type DueTimes, latestDue, nextDue, unlessOver } from './due-times.ts'

/** One line for the ledger. It accounts for every due time from `firstDueAt` to `dueAt`. */
export type Entry = {
  dueAt: number
  firstDueAt: number
  standsFor: number
  state: 'due' | 'missed'
  reason: string | null
}

export type Standing = {
  of: DueTimes
  catchUp: CatchUp
  /** The earliest due time that is not in the ledger. */
  nextDueAt: number
  /** Later due times do not count. */
  until: number | null
}

/** A due time that is no older than this is on time, whatever the schedule says of missed ones. */
export const onTimeMs = 5 * 60_000

/** What to write into the ledger for all due times up to `now`, the earliest first, and the due time after them. */
export function accountFor(
  { of, catchUp, nextDueAt, until }: Standing,
  now: number,
): { entries: Entry[]; nextDueAt: number | null } {
  const upTo = until === null ? now : Math.min(now, until)
  if (nextDueAt > upTo) return { entries: [], nextDueAt: unlessOver(nextDueAt, until) }
  const latest = latestDue(of, upTo, scheduleLimits.caughtUp).filter((at) => at >= nextDueAt)
  return {
    entries: entriesOf(of, catchUp, nextDueAt, latest.reverse(), now),
    nextDueAt: unlessOver(nextDue(of, upTo), until),
  }
}

/** `latest`: the latest due times, the earliest of them first; `first` may be far earlier than these. */
function entriesOf(of: DueTimes, catchUp: CatchUp, first: number, latest: number[], now: number): Entry[] {
  const last = latest.at(-1)
  if (last === undefined) return []
  const line = (from: number, to: number, state: Entry['state'], reason: string | null = null): Entry => ({
    dueAt: to,
    firstDueAt: from,
    standsFor: countOf(of, from, to),
    state,
    reason,
  })
  if (catchUp === 'latest') return [line(first, last, 'due')]
  if (catchUp === 'all') {
    const each = latest.map((at) => line(at, at, 'due'))
    const [before] = latestDue(of, latest[0]! - 1, 1)
    if (before === undefined || before < first) return each
    return [line(first, before, 'missed', tooMany), ...each]
  }
  const isOnTime = now - last <= onTimeMs
  if (!isOnTime) return [line(first, last, 'missed', noHub)]
  const onTime = Math.max(first, nextDue(of, now - onTimeMs - 1) ?? last)
  if (onTime <= first) return [line(first, last, 'due')]
  const [before] = latestDue(of, onTime - 1, 1)
  const due = line(onTime, last, 'due')
  return before === undefined || before < first ? [due] : [line(first, before, 'missed', noHub), due]
}

const noHub = 'No hub was running at that time.'
const tooMany = `No hub was running at that time, and only the latest ${scheduleLimits.caughtUp} due times are caught up.`

/** How many due times there are from one to another, both included; no more than the ledger counts. */
function countOf(of: DueTimes, from: number, to: number): number {
  if (of.timing.kind === 'every')
    return Math.min(scheduleLimits.counted, (to - from) / (of.timing.seconds * 1000) + 1)
  let count = 1
  for (let at: number | null = from; at !== null && at < to && count < scheduleLimits.counted; count += 1)
    at = nextDue(of, at)
  return count
}
