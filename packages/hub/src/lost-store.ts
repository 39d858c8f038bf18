import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { logsIn, noneIfMissing } from './unknown-logs.ts'

/** `store.sqlite` is missing although the data folder still holds logs or files. */
export class LostStore extends Error {
  readonly nextStep: string

  constructor(data: string, what: string) {
    const folder = resolve(data)
    super(`${folder} holds ${what}, but its store.sqlite is missing or empty.`)
    this.name = 'LostStore'
    this.nextStep =
      `Put store.sqlite back from a backup (with store.sqlite-wal, if there is one beside it), then start the hub again. ` +
      `To begin anew instead, give another folder with --data, or move ${join(folder, 'logs')} and ${join(folder, 'files')} away first.`
  }
}

/** Throws if a data folder holds logs or files that a new, empty store would not know. */
export async function refuseIfStoreIsLost(data: string): Promise<void> {
  const logs = await logsIn(join(data, 'logs'))
  if (logs.length > 0)
    throw new LostStore(data, `the logs of ${logs.length} ${logs.length > 1 ? 'runs' : 'run'}`)
  if (await hasBlobs(join(data, 'files'))) throw new LostStore(data, 'contents of files')
}

async function hasBlobs(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch(noneIfMissing)
  return names.some((name) => name.endsWith('.pack') || BlobHash.safeParse(name.split('/').at(-1)).success)
}
