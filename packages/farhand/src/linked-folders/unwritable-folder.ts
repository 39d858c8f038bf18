import { accessSync, constants } from 'node:fs'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** That a folder can be sent but never take anything in, as a note; none if it can be written. */
export function unwritableFolderNotes(folder: string, access = accessSync): SyncNote[] {
  try {
    access(folder, constants.W_OK)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EROFS' ? 'its disk is mounted read-only' : 'this user may not write there'
    const why = `this folder cannot be written (${reason}): what others change does not arrive here until it can`
    return code === 'EROFS' || code === 'EACCES' ? [{ is: 'trouble', path: null, why, code }] : []
  }
}
