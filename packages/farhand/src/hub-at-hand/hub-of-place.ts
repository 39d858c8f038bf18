import { lstatSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { runningOn } from './own-hub.ts'

/**
 * Where the hub runs that keeps its data in a folder of the place where somebody stands; null if none does. The folder may
 * have come with a repository of others: it is believed only while a process holds its lock, which no file can bring along.
 */
export async function hubOfPlace(data: string): Promise<string | null> {
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
  const isOurs = (name: string) => {
    const there = lstatSync(path.join(data, name), { throwIfNoEntry: false })
    return there?.isFile() === true && (user === undefined || there.uid === user)
  }
  // Of what was left half done SQLite would do the rest; while the lock is held, all there is is empty.
  const isLeft = ['-journal', '-wal'].some((end) => {
    const there = lstatSync(path.join(data, `lock.sqlite${end}`), { throwIfNoEntry: false })
    return there !== undefined && !(there.isFile() && there.size === 0)
  })
  return !isLeft && ['hub.json', 'store.sqlite', 'lock.sqlite'].every(isOurs)
}
