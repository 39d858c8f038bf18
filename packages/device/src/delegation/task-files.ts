import { createHash } from 'node:crypto'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { knownVersions, NoSuchVersion, versionsOf } from '@farhand/sync/history/history'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'
import { pathInWords } from '../wording/path-in-words.ts'

type At = { hub: Hub; at: RunAddress; signal: AbortSignal }

export type TaskFile = { path: WorkspacePath; size: number | null; isLink: boolean }

/** The files that the sandbox of a run has written and not deleted, by path. */
export async function listTaskFiles({ hub, at, signal }: At): Promise<TaskFile[]> {
  const versions = await versionsOf(hub, at, { signal, patienceMs })
  return [...versions.tree.files()]
    .flatMap(({ path, entry }) => {
      const version = versions.of(path).find(({ state }) => state === 'current')
      // Another author's file came with the task.
      if (version?.by.kind !== 'runner') return []
      return [{ path, size: version.size, isLink: entry.mode === '120000' }]
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The newest content of a file, verified; Trouble if there is none, or more than `mostBytes`. */
export async function readTaskFile(
  { hub, at, signal }: At,
  name: string,
  mostBytes: number,
): Promise<Uint8Array> {
  const versions = await versionsOf(hub, at, { signal, patienceMs })
  let entry: { hash: Parameters<typeof downloadBlob>[2] } | null | undefined
  try {
    entry = knownVersions(versions, name, pathInWords).find(({ state }) => state === 'current')?.entry
  } catch (error) {
    if (!(error instanceof NoSuchVersion)) throw error
    throw new Trouble('usage', error.message, 'cloud_agent_files lists the files of the task.', error)
  }
  if (!entry)
    throw new Trouble('usage', `${pathInWords(name)} was deleted.`, 'cloud_agent_files lists what there is.')
  const pieces: Uint8Array[] = []
  let bytes = 0
  // The size that an event states is the sandbox's word for it: what arrives is counted.
  for await (const piece of downloadBlob(hub, at, entry.hash, {
    signal,
    newHasher: () => createHash('sha256'),
  })) {
    bytes += piece.length
    if (bytes > mostBytes)
      throw new Trouble(
        'usage',
        `${pathInWords(name)} has more than ${mostBytes} bytes.`,
        'cloud_agent_download puts it into a folder.',
      )
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
