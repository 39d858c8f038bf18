import { lstatSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { runningOn } from './local-hub.ts'

/**
 * Where the hub runs that keeps its data in a folder of the place where somebody stands; null if none does. The folder may
 * have come with a repository of others: it is believed only while a process holds its lock, which no file can bring along.
 */
export async function hubOfDataFolder(data: string): Promise<string | null> {
  const said = runningOn(data)
  if (!said || !isMadeHere(data)) return null
  const { lockData } = await import('@farhand/hub/store/data-lock')
  try {
    const lock = lockData(data)
    if (lock === 'taken') return said.url
    lock.release()
  } catch {
    // No lock of a hub's, whatever else it may be.
  }
  return null
}

/** Whether its files are of this user and no links; to look at their lock must neither make nor change any other file. */
function isMadeHere(data: string): boolean {
  const user = process.getuid?.()
  const isOurs = (name: string, mostBytes = Number.POSITIVE_INFINITY) => {
    const there = lstatSync(path.join(data, name), { throwIfNoEntry: false })
    return there?.isFile() === true && there.size <= mostBytes && (user === undefined || there.uid === user)
  }
  // Nothing is ever in a lock; in a file with something SQLite would do the rest of what it takes for half done.
  return isOurs('hub.json') && isOurs('store.sqlite') && isOurs('lock.sqlite', 0)
}
