import { lockHolder, lockState, type StateLock } from '../../state/lock-state.ts'
import { FolderInUse } from './folder-in-use.ts'
import { HeldFolders } from './held-folders.ts'
import { enterOwnFolder } from './own-folder.ts'
import { systemCode } from './system-code.ts'

/**
 * Takes a workspace for this process, with any state folder, and gives back how to let it go. Throws
 * FolderInUse if a running process has it: two processes in one folder would each take the other's staged files for
 * leftovers of a crash. With `isOwnDead` an earlier thread of this process that had it was ended.
 */
export function lockFolder(root: string, isOwnDead = false): () => void {
  const held = new HeldFolders(root)
  let place: string
  try {
    place = enterOwnFolder(held, '.farhand/incoming')
  } catch (error) {
    held.release()
    systemCode(error)
    // A folder in which nothing can be created is read-only: it needs no lock.
    return () => {}
  }
  try {
    const lock = lockOrLook(place, isOwnDead)
    if ('holder' in lock) throw new FolderInUse(root, lock.holder)
    return () => {
      lock.release()
      held.release()
    }
  } catch (error) {
    held.release()
    throw error
  }
}

/** A disk that was made read-only since the folder was first linked is like one that always was: nothing is taken. */
function lockOrLook(place: string, isOwnDead: boolean): StateLock {
  try {
    return lockState(place, isOwnDead)
  } catch (error) {
    if (systemCode(error) !== 'EROFS') throw error
    const holder = lockHolder(place)
    return holder === null ? { release() {} } : { holder }
  }
}
