import { fileUrls } from '@farhand/client/blobs/file-urls'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import { filesToPutBack } from '@farhand/protocol/files/files-to-put-back'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { LogReadOptions } from './history.ts'
import { RecordedChanges } from './recorded-changes.ts'
import { catchUp } from './restore.ts'
import {
  type LeftAlone,
  type PathChange,
  planRevert,
  type Step,
  sinceEvent,
  stepToUndo,
  type Undoes,
} from './step-to-undo.ts'

/** What an undo is going to do, or has done. */
export type Undoing = {
  /** The step it takes back; null when everything since an event is. */
  step: Step | null
  undoes: Undoes
  /** Each path goes from `after` to `before`. */
  back: PathChange[]
  leftAlone: LeftAlone[]
  /** How many files the log has now, to show how large a part of them this is. */
  files: number
  /** The events that did it; none if it was only planned. */
  eventIds: number[]
}

/** An undo of several events that ended before the last: `eventIds` did the part that is done. */
export class HalfUndone extends Error {
  readonly eventIds: readonly number[]
  readonly put: number
  readonly of: number

  constructor({ eventIds, put, of }: Pick<HalfUndone, 'eventIds' | 'put' | 'of'>, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`the undo ended half-way, with ${put} of ${of} files put back: ${why}`, { cause })
    this.name = 'HalfUndone'
    this.eventIds = eventIds
    this.put = put
    this.of = of
  }
}

/** What an undo would do now: of the newest step, or of everything after an event. Null if there is nothing to undo. */
export async function planUndo(
  hub: Hub,
  at: RunAddress,
  { to, ...options }: LogReadOptions & { to?: number | undefined } = {},
): Promise<{ plan: Undoing; changes: RecordedChanges } | null> {
  const changes = new RecordedChanges()
  for await (const event of readLog(hub, at, options)) {
    changes.take(event)
    options.onEvent?.(event)
  }
  const step = to === undefined ? stepToUndo(changes.all, changes.beganBefore) : null
  const turned = to === undefined ? step?.turned : sinceEvent(changes.all, to)
  if (!turned || turned.length === 0) return null
  const { tree } = changes.versions
  const { back, leftAlone } = planRevert(turned, (path) => tree.entry(path))
  const gone = await missingBlobs(hub, at, back, options)
  const isGone = ({ before }: PathChange) => before !== null && before !== undefined && gone.has(before.hash)
  const expired = back.filter(isGone).map(({ path }): LeftAlone => ({ path, why: 'expired' }))
  const undoes = step
    ? { from: step.from, to: step.to }
    : { from: to! + 1, to: changes.cursor, everyone: true as const }
  let files = 0
  for (const _ of tree.files()) files += 1
  return {
    changes,
    plan: {
      step,
      undoes,
      back: back.filter((turned) => !isGone(turned)),
      leftAlone: [...leftAlone, ...expired],
      files,
      eventIds: [],
    },
  }
}

/**
 * Does what was planned, for all folders of the run, and returns the result once the log says so. A file that changes
 * meanwhile is left alone; every version that is replaced stays restorable. Throws HalfUndone if only a part was done.
 */
export async function undo(
  hub: Hub,
  at: RunAddress,
  { plan, changes }: { plan: Undoing; changes: RecordedChanges },
  options: LogReadOptions = {},
): Promise<Undoing> {
  const eventIds: number[] = []
  let put = 0
  for (const portion of filesToPutBack(plan.back, changes.versions)) {
    const params = { files: portion, undoes: plan.undoes }
    const notification = event('file_sync', params)
    try {
      eventIds.push(...(await post(hub, at, notification, options)).ids)
    } catch (error) {
      throw put > 0 ? new HalfUndone({ eventIds, put, of: plan.back.length }, error) : error
    }
    put += portion.length
  }
  await catchUp(changes, hub, at, eventIds.at(-1) ?? 0, options)
  const { tree } = changes.versions
  const isBack = ({ path, before }: PathChange) => {
    const now = tree.entry(path)
    return now !== undefined && before !== undefined && sameEntry(now, before)
  }
  const crossed = plan.back
    .filter((turned) => !isBack(turned))
    .map(({ path }): LeftAlone => ({ path, why: 'changed-since' }))
  return {
    ...plan,
    back: plan.back.filter(isBack),
    leftAlone: [...plan.leftAlone, ...crossed],
    eventIds,
  }
}

async function missingBlobs(
  hub: Hub,
  at: RunAddress,
  back: readonly PathChange[],
  options: LogReadOptions,
): Promise<Set<string>> {
  const hashes = [...new Set(back.flatMap(({ before }) => (before ? [before.hash as BlobHash] : [])))]
  const gone = new Set<string>()
  for (let from = 0; from < hashes.length; from += limits.hashesPerRequest) {
    const asked = hashes.slice(from, from + limits.hashesPerRequest)
    for (const hash of Object.keys((await fileUrls(hub, at, asked, options)).missing)) gone.add(hash)
  }
  return gone
}
