import { accessSync, constants } from 'node:fs'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** A note that a folder can be sent but not written; none if it can be written. */
export function unwritableFolderNotes(folder: string, access = accessSync): SyncNote[] {
  try {
    access(folder, constants.W_OK)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EROFS' ? 'its disk is mounted read-only' : 'this user may not write there'
    const why = `this folder cannot be written (${reason}): changes from the run do not arrive here until it can`
    return code === 'EROFS' || code === 'EACCES' ? [{ is: 'trouble', path: null, why, code }] : []
  }
}
