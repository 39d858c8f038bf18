import type { Notification } from '@farhand/protocol/wire/event'
import { event } from '@farhand/protocol/events/event-names'
import type { FileInEvent } from '@farhand/protocol/files/file-in-event'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Keeping, Outgoing } from './hub-folder.ts'
import type { Ready } from './prepare-contents.ts'

/** Whose words: what a device calls `file_sync` is a `file_change` when the run's runner says it. */
export type Voice = 'device' | 'runner'

const plain = (entry: FileEntry | null) => entry && { mode: entry.mode, hash: entry.hash }

/** One event for all of these files; of a single one it says so directly. */
export function changeEvent(voice: Voice, changes: readonly Ready<Outgoing>[]): Notification {
  const files = changes.map(
    ({ item: { path, entry, was, size }, bytes }): FileInEvent =>
      entry
        ? {
            path,
            action: was ? 'modified' : 'created',
            hash: entry.hash,
            size: bytes?.length ?? size,
            mode: entry.mode,
            was: plain(was),
          }
        : { path, action: 'deleted', was: plain(was) },
  )
  return event(voice === 'device' ? 'file_sync' : 'file_change', files.length === 1 ? files[0]! : { files })
}

/** That a version is in no tree and can be put back (S4). */
export function keptEvent({ path, entry, why }: Keeping): Notification {
  return event('file_kept', { path, mode: entry.mode, hash: entry.hash, why })
}
