import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockData } from './store/data-lock.ts'

/** Another hub holds this data folder. */
export class AlreadyRunning extends Error {
  readonly url: string | null
  readonly pid: number | null

  constructor(url: string | null, pid: number | null) {
    super(`a hub is already running on this data${url ? ` at ${url}` : ''}`)
    this.name = 'AlreadyRunning'
    this.url = url
    this.pid = pid
  }
}

/** The file by which other processes find the hub of a data folder. */
export const addressFileIn = (data: string) => join(data, 'hub.json')

/** Makes the data folder and locks it for this process; throws `AlreadyRunning` if another hub holds it. */
export async function takeDataFolder(data: string): Promise<{ release(): void }> {
  await mkdir(data, { recursive: true, mode: 0o700 })
  const lock = lockData(data)
  if (lock === 'taken') {
    // The lock proves that another hub runs; a damaged file only means that its address is unknown.
    const known = await readFile(addressFileIn(data), 'utf8')
      .then(JSON.parse)
      .catch(() => ({}))
    throw new AlreadyRunning(known.url ?? null, known.pid ?? null)
  }
  // The data folder may lie inside a repository: its keys must never be committed or synced. The file may exist already.
  await writeFile(join(data, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
  return lock
}
