import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { RunMove } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { noteSandboxKind } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'
import { admitted } from './inbox.ts'
import type { OwnedRun } from './run-directory.ts'

/**
 * Has the agent of a run work somewhere else from now on (W46): one event, after which the log says so, or a refusal that
 * has changed nothing. To say it again, also after a crash in the middle, is the same as to say it once.
 */
export async function moveRun(
  { db, log }: { db: Kysely<Tables>; log: EventLog },
  run: OwnedRun,
  { sandbox, after }: Pick<RunMove, 'sandbox' | 'after'>,
  hasRunner: HasRunner,
): Promise<void> {
  await log.append(run.id, (head) => {
    const { view } = head
    const from = view.place ?? run.sandbox
    const by = { kind: 'hub' } as const
    if (from === sandbox) return admitted({ by, notifications: [] }, head)
    const refusal = whyNotNow(view, after, hasRunner)
    const notifications = [moved(sandbox, from), ...(sandbox === 'none' ? [] : [queued])]
    return admitted({ by, notifications, ...(refusal && { refusal }) }, head)
  })
  // Second: whatever this says, the log decides, and whoever keeps sandboxes puts it right.
  await noteSandboxKind(db, run.id, sandbox)
}

/** Why a run cannot be taken over now: another runner has begun meanwhile. */
export const whyTaken = ({ generation }: RunView, after: number): Fault | null =>
  generation === after
    ? null
    : new Fault('run.taken', 'another runner has begun meanwhile', { current: generation })

/** Why a sandbox has no say in a run: it was moved to a device while that was being made. */
export const whyElsewhere = ({ place }: RunView): Fault | null =>
  place === 'none' ? new Fault('run.taken', 'this run works on a device now') : null

/** Why it cannot be moved now: that, or something is under way, or not saved yet, that would be cut. */
export function whyNotNow(view: RunView, after: number, hasRunner: HasRunner): Fault | null {
  const taken = whyTaken(view, after)
  if (taken) return taken
  // With nobody there the next runner has the turn, wherever that is.
  const isAtWork = hasRunner(view.generation) && view.rest?.rests !== true
  return isAtWork ? new Fault('run.busy', 'its runner is at work; have it rest first') : null
}

/** Whether a runner of this generation listens now. */
export type HasRunner = (generation: number) => boolean

const moved = (sandbox: string, from: string | null) => event('moved', { sandbox, from })

const queued = event('status', { status: 'queued' })
