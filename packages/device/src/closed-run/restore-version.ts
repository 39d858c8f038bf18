import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import type { Version } from '@farhand/protocol/files/file-versions'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { LogReadOptions } from '@farhand/sync/history/history'
import type { Restored } from '@farhand/sync/history/restore'
import { isClosed, type NotWritten, openClosedFolder, type ScanOptions, whileOpen } from './closed-folder.ts'

/** `isSame`: nothing was changed, as run and folder have this version already. */
export type RestoredHere = { done: Restored; notPut: NotWritten[]; isSame: boolean }

/** Restores a version in the run; for a closed run also in its folder, which no process syncs. */
export async function restoreVersion(
  { hub, at, path, eventId }: { hub: Hub; at: RunAddress; path: string; eventId: number },
  { folder, ...place }: { folder: string | null; stateFolderPath: string; isLinked: boolean },
  asking: LogReadOptions,
  scan: ScanOptions,
): Promise<RestoredHere> {
  const { restore } = await import('@farhand/sync/history/restore')
  const wasClosed = await isClosed({ hub, at }, scan)
  const local =
    wasClosed && folder !== null && existsSync(folder)
      ? await openClosedFolder({ hub, at }, { folder, ...place }, scan)
      : null
  try {
    const known = path as WorkspacePath
    const done = await whileOpen(
      { hub, at },
      wasClosed,
      async () => {
        const done = await restore(hub, at, path, eventId, asking)
        // Local changes since the run was closed are not in the log: keep them.
        for (const one of [known, ...done.madeRoom])
          if (local && !isInLog(local.here.get(one) ?? null, done.replaced)) await local.keep(one)
        return done
      },
      scan,
    )
    const gone = done.madeRoom.map((one) => ({ path: one, from: local?.here.get(one) ?? null, to: null }))
    const from = local?.here.get(known) ?? null
    const changes = [...gone, { path: known, from, to: done.version.entry }].filter(
      ({ from, to }) => !sameEntry(from, to),
    )
    const notPut = (await local?.put(changes, () => done.version.size ?? 0)) ?? []
    // The run may have this version already while the folder does not.
    const isSame = done.eventId === null && (local === null || changes.length === 0)
    return { done, notPut, isSame }
  } finally {
    await local?.close()
  }
}

const isInLog = (entry: FileEntry | null, replaced: Version | null) =>
  entry === null || (replaced?.entry != null && sameEntry(entry, replaced.entry))
