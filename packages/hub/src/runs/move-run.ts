import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { RunMove } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import type { EventLog } from '../log/event-log.ts'
import { noteSandboxKind } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { admitted } from './inbox.ts'
import type { OwnedRun } from './run-directory.ts'

/**
 * Moves the work of a run's agent to another place (W46): with one event in the log, or a refusal that changes nothing. Repeating it,
 * also after a crash in the middle, has the same effect as doing it once.
 */
export async function moveRun(
  { db, log }: { db: Db; log: EventLog },
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
  // After the log, which decides: the keeper corrects the store if this write is lost.
  await noteSandboxKind(db, run.id, sandbox)
}

/** Why a run cannot be taken over now: another runner has begun meanwhile. */
export const whyTaken = ({ generation }: RunView, after: number): Fault | null =>
  generation === after
    ? null
    : new Fault('run.taken', 'another runner has begun meanwhile', { current: generation })

/** Why a sandbox may not start its runner: the run was moved to a device meanwhile. */
export const whyElsewhere = ({ place }: RunView): Fault | null =>
  place === 'none' ? new Fault('run.taken', 'this run works on a device now') : null

/** Why a run cannot be moved now: another runner has begun, or its runner is still working and has unsaved work. */
export function whyNotNow(view: RunView, after: number, hasRunner: HasRunner): Fault | null {
  const taken = whyTaken(view, after)
  if (taken) return taken
  // Without a connected runner, the next one continues the open turn, in a sandbox or on a device.
  const isAtWork = hasRunner(view.generation) && view.rest?.rests !== true
  return isAtWork ? new Fault('run.busy', 'its runner is at work; have it rest first') : null
}

/** Whether a runner of this generation listens now. */
export type HasRunner = (generation: number) => boolean

const moved = (sandbox: string, from: string | null) => event('moved', { sandbox, from })

const queued = event('status', { status: 'queued' })
