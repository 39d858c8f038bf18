import type { RunView } from '@farhand/protocol/runs/run-view'
import { Fault } from '@farhand/protocol/wire/faults'
import { wireName } from '@farhand/protocol/wire/wire-names'

/** Refuses what a client wants of a run in which nothing has happened for longer than its operator allows (W64). */
export function expired(
  view: RunView,
  { createdAt, expiryMinutes, now }: { createdAt: string; expiryMinutes: number | undefined; now: number },
): Fault | null {
  if (expiryMinutes === undefined || view.openTurns.length > 0 || view.status === 'closed') return null
  const since = Math.max(Date.parse(createdAt), Date.parse(view.lastActivityAt ?? createdAt))
  if (now - since <= expiryMinutes * 60_000) return null
  return new Fault(
    'run.closed',
    `this session has expired; send ${wireName('session_init')} to open it again`,
  )
}
