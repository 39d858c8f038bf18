import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import type { FileVersions } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Undoing } from '@farhand/sync/history/undo'
import { patienceMs } from '../requests/patience-ms.ts'
import type { Trouble } from '../trouble/trouble.ts'
import {
  isClosed,
  notAllWritten,
  openClosedFolder,
  type ScanOptions,
  whileOpen,
  withoutChangedHere,
} from './closed-folder.ts'

type Place = { folder: string | null; stateFolderPath: string; isLinked: boolean }

/** An undo that is planned; until `close` no other process may sync the folder of a closed run. */
export type PreparedUndo = {
  plan: Undoing
  versions: FileVersions
  undo(): Promise<{
    done: Undoing
    /** Files of the folder that could not be changed. */
    trouble: Trouble | null
    /** The run is closed, and no folder of this machine has got what was undone. */
    isOnlyInRun: boolean
  }>
  close(): Promise<void>
}

/** Plans an undo in a run; for a closed run also in its folder, which no process syncs. Null if there is nothing to undo. */
export async function prepareUndo(
  run: { hub: Hub; at: RunAddress },
  { to, onEvent }: { to: number | undefined; onEvent: (event: SeenEvent) => void },
  { folder, ...place }: Place,
  scan: ScanOptions,
): Promise<PreparedUndo | null> {
  const { hub, at } = run
  const { stop } = scan
  const { planUndo, undo } = await import('@farhand/sync/history/undo')
  const planned = await planUndo(hub, at, { to, signal: stop, patienceMs, onEvent })
  if (!planned) return null
  const { changes } = planned
  const wasClosed = await isClosed(run, scan)
  const local =
    wasClosed && folder !== null && existsSync(folder)
      ? await openClosedFolder(run, { folder, ...place }, scan)
      : null
  const plan = local ? withoutChangedHere(planned.plan, local.here) : planned.plan
  return {
    plan,
    versions: changes.versions,
    async undo() {
      const act = () => undo(hub, at, { plan, changes }, { signal: stop })
      const done = plan.back.length > 0 ? await whileOpen(run, wasClosed, act, scan) : plan
      const toWrite = done.back.map(({ path, before, after }) => ({ path, from: after, to: before ?? null }))
      const sizeOf = (path: WorkspacePath) => changes.versions.of(path)[0]?.size ?? 0
      const notPut = (await local?.put(toWrite, sizeOf)) ?? []
      return {
        done,
        trouble: folder === null ? null : notAllWritten(notPut, folder),
        isOnlyInRun: wasClosed && !local && done.back.length > 0,
      }
    },
    close: async () => local?.close(),
  }
}
