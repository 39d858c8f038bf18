import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { event } from '@farhand/protocol/events/event-names'
import { fileInEvent, filesInTheWay } from '@farhand/protocol/files/file-in-event'
import type { FileVersions, Version } from '@farhand/protocol/files/file-versions'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { asIs, knownVersions, type LogReadOptions, NoSuchVersion, versionsOf } from './history.ts'

export type Restored = {
  path: WorkspacePath
  version: Version
  /** The event that put it back, and what it took the place of; null if it was there already. */
  eventId: number | null
  replaced: Version | null
  /** Files that were in its way, above or below it, and went. They have a history too. */
  madeRoom: WorkspacePath[]
}

// Another writer would have to change this very file between our reading and our writing, each time.
const mostCrossings = 20
const mostInTheWay = 999

/**
 * Makes a version that the log knows the current one again, for all folders of the run. When it resolves, the log says so;
 * the version that it replaced stays restorable. Restoring a deletion deletes.
 */
export async function restore(
  hub: Hub,
  at: RunAddress,
  path: string,
  eventId: number,
  { signal, inWords = asIs, ...patience }: LogReadOptions = {},
): Promise<Restored> {
  const options = { signal }
  const versions = await versionsOf(hub, at, { ...options, ...patience })
  const version = versionAt(knownVersions(versions, path, inWords), inWords(path), eventId)
  const known = path as WorkspacePath
  for (let crossings = 0; crossings < mostCrossings; crossings += 1) {
    const now = versions.tree.entry(known)
    const replaced = versions.of(path).find(({ state }) => state === 'current') ?? null
    if (now !== undefined && sameEntry(now, version.entry))
      return { path: known, version, eventId: null, replaced: null, madeRoom: [] }
    const inTheWay = version.entry ? filesInTheWay(versions.tree, known) : []
    // All in one event or not at all: room must not be made for contents that turn out to be gone.
    if (inTheWay.length > mostInTheWay)
      throw new Error(
        `${inTheWay.length} files are in the way of ${inWords(path)}: delete or move them first`,
      )
    const file = fileInEvent({ path: known, entry: version.entry, was: now, size: version.size })
    const params = { files: [...inTheWay, file], restores: { eventId } }
    const { lastEventId } = await post(hub, at, event('file_sync', params), options).catch(
      (error: unknown) => {
        throw expired(inWords(path), version, error) ?? error
      },
    )
    await catchUp(versions, hub, at, lastEventId, options)
    if (versions.of(path).some(({ eventId: id, state }) => id === lastEventId && state !== 'overruled'))
      return {
        path: known,
        version,
        eventId: lastEventId,
        replaced,
        madeRoom: inTheWay.map(({ path }) => path),
      }
  }
  throw new Error(`${inWords(path)} is being changed by others all the time: it could not be restored`)
}

/** Reads on until this event is part of what is known. */
export async function catchUp(
  versions: { cursor: number; take(event: Parameters<FileVersions['take']>[0]): unknown },
  hub: Hub,
  at: RunAddress,
  until: number,
  { signal }: LogReadOptions,
): Promise<void> {
  if (versions.cursor >= until) return
  for await (const event of readLog(hub, at, { after: versions.cursor, signal })) versions.take(event)
}

function versionAt(versions: readonly Version[], path: string, eventId: number): Version {
  const found = versions.find((version) => version.eventId === eventId)
  if (found) return found
  const some = versions.slice(0, 10).map((version) => version.eventId)
  const more = versions.length > some.length ? ', and older ones' : ''
  throw new NoSuchVersion(
    'version',
    `${path} has no version of event ${eventId}. Those it has: ${some.join(', ')}${more}.`,
  )
}

function expired(path: string, { eventId }: Version, error: unknown): NoSuchVersion | null {
  if (!(error instanceof Refusal) || error.code !== 'blob.missing') return null
  const why = 'Contents that are no longer in use are kept for 30 days, and these are gone.'
  return new NoSuchVersion('expired', `${path}@${eventId} cannot be put back. ${why}`, error)
}
