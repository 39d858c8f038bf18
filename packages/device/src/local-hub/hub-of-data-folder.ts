import { lstatSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { hubRunningOn } from './local-hub.ts'
import type { HubData } from './local-hub-parts.ts'

/**
 * The address of the hub that runs on this data folder; null if none does. The folder may have come with a repository
 * that others wrote: hub.json is believed only while a process holds the folder's lock, which no file can fake.
 */
export async function hubOfDataFolder(
  data: string,
  hubData: Pick<HubData, 'loadLock'>,
): Promise<string | null> {
  const said = hubRunningOn(data)
  if (!said || !isMadeHere(data)) return null
  const lockData = await hubData.loadLock()
  try {
    const lock = lockData(data)
    if (lock === 'taken') return said.url
    lock.release()
  } catch {
    // The file is not a hub's lock.
  }
  return null
}

/**
 * Whether the files belong to this user and are no symlinks. Checking their lock must not create or change any other
 * file.
 */
function isMadeHere(data: string): boolean {
  const user = process.getuid?.()
  const isOurs = (name: string, mostBytes = Number.POSITIVE_INFINITY) => {
    const there = lstatSync(path.join(data, name), { throwIfNoEntry: false })
    return there?.isFile() === true && there.size <= mostBytes && (user === undefined || there.uid === user)
  }
  // A lock file is always empty; with a non-empty one SQLite might roll back a transaction.
  return isOurs('hub.json') && isOurs('store.sqlite') && isOurs('lock.sqlite', 0)
}
