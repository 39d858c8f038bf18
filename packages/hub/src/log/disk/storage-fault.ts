import { Fault } from '@farhand/protocol/wire/faults'

/** The fault for a writer after an error of the disk. */
export function storageFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Fault('storage.full', 'the disk of the hub is full: free some space, then try again', {
      cause,
    })
  }
  return new Fault('log.unavailable', 'the log of this run cannot be used just now: try again', { cause })
}
