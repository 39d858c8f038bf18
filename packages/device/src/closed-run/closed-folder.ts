import { mkdirSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import { closeRun, initRun, runStatus } from '@farhand/client/resources/resources'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Undoing } from '@farhand/sync/history/undo'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asFolderTaken, folderHolder, folderTaken } from '../linked-folders/lock-folder.ts'
import { removeSyncFiles } from '../linked-folders/remove-sync-files.ts'
import { bringFiles, keepVersions, scanFolder, whyNotWritten } from '../pull/pull-files.ts'
import { PullMemory } from '../pull/pull-memory.ts'
import type { Brought } from '../pull/pull-plan.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'

type Run = { hub: Hub; at: RunAddress }

/** Whether a run is closed. No process syncs the folder of a closed run. */
export const isClosed = async ({ hub, at }: Run, { stop }: { stop: AbortSignal }): Promise<boolean> =>
  (await runStatus(hub, at, { signal: stop, patienceMs })).status === 'closed'

/** Opens a closed run while `act` runs, and closes it again in every case. */
export async function whileOpen<Result>(
  { hub, at }: Run,
  wasClosed: boolean,
  act: () => Promise<Result>,
  { stop }: { stop: AbortSignal },
): Promise<Result> {
  if (!wasClosed) return await act()
  await initRun(hub, at, { signal: stop })
  try {
    return await act()
  } finally {
    // Also if the user stops the command: the user did not ask for an open run.
    await closeRun(hub, at, { patienceMs })
  }
}

export type NotWritten = { path: string; why: string }

/** The folder of a closed run, locked by this process. */
export type ClosedFolder = {
  readonly here: ReadonlyMap<WorkspacePath, FileEntry>
  /** Records the folder's current version of a path in the log; the run must be open. */
  keep(path: WorkspacePath): Promise<void>
  /** Writes these changes, each only if the folder still has the expected version. Returns the changes that failed. */
  put(changes: readonly Brought[], sizeOf: (path: WorkspacePath) => number): Promise<NotWritten[]>
  close(): Promise<void>
}

export type ScanOptions = {
  stop: AbortSignal
  /** Runs the scan of the folder, which may take long. */
  whileScanning: <Result>(act: () => Promise<Result>) => Promise<Result>
}

/** Locks and scans the folder of a closed run. Throws if another process keeps it in sync with any run. */
export async function openClosedFolder(
  run: Run,
  { folder, stateFolderPath, isLinked }: { folder: string; stateFolderPath: string; isLinked: boolean },
  { stop, whileScanning }: ScanOptions,
): Promise<ClosedFolder> {
  const pid = folderHolder(new StateFolder(stateFolderPath), folder)
  if (pid !== null) throw folderTaken(folder, pid)
  const { place } = new PullMemory(stateFolderPath, folder)
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const { openDiskFolder } = await import('@farhand/sync/disk/open-disk-folder')
  const disk = await openDiskFolder({
    root: folder,
    state: place,
    maxFileBytes: Number.MAX_SAFE_INTEGER,
  }).catch(asFolderTaken(folder))
  const close = async () => {
    await disk.close()
    if (!isLinked) removeSyncFiles(folder)
  }
  const around = { ...run, disk, signal: stop }
  try {
    const { here } = await whileScanning(() => scanFolder(disk, stop))
    return {
      here,
      async keep(path) {
        const entry = here.get(path)
        if (entry) await keepVersions(around, [{ path, entry }])
      },
      async put(changes, sizeOf) {
        const notPut: NotWritten[] = []
        let portions = 0
        for await (const outcomes of bringFiles(around, changes, sizeOf)) {
          for (const { brought, result } of outcomes)
            if (result.is !== 'done') notPut.push({ path: brought.path, why: whyNotWritten(result) })
          disk.settled(++portions)
        }
        return notPut
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The undo without the paths that were changed in the folder since the run was closed: they are left alone. */
export function withoutChangedHere<Plan extends Pick<Undoing, 'back' | 'leftAlone'>>(
  plan: Plan,
  here: ReadonlyMap<WorkspacePath, FileEntry>,
): Plan {
  const isAsLeft = ({ path, after }: Undoing['back'][number]) => sameEntry(here.get(path) ?? null, after)
  const changed = plan.back.filter((turned) => !isAsLeft(turned))
  return {
    ...plan,
    back: plan.back.filter(isAsLeft),
    leftAlone: [...plan.leftAlone, ...changed.map(({ path }) => ({ path, why: 'changed-since' as const }))],
  }
}

/** The error for a run that was changed while some files of its folder could not be; null if there are none. */
export function notAllWritten(notPut: readonly NotWritten[], folder: string): Trouble | null {
  const [first] = notPut
  if (!first) return null
  const more = notPut.length > 1 ? ` and ${notPut.length - 1} more` : ''
  return new Trouble(
    'failed',
    `${first.path}${more} in ${folder} could not be changed: ${first.why}.`,
    'The run has it: `history` lists its versions, and `pull` brings them.',
  )
}
