import { fileInEvent, filesInTheWay } from '@farhand/protocol/files/file-in-event'
import type { FileVersions, Version } from '@farhand/protocol/files/file-versions'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { EventParams } from '@farhand/protocol/methods/methods'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { useCallback, useEffect, useRef } from 'react'
import type { RunActions } from '../../outbox/actions.ts'
import { toast } from '../../ui/toasts.ts'
import type { KnownFiles } from './use-run-files.ts'

/** After this time without an answer, the page tells the user what it waits for. */
const showWaitingAfterMs = 1500

type Put = { path: WorkspacePath; entry: FileEntry | null; eventId: number | null }

/**
 * Restores a version of a file and shows a toast with an undo button. Tells the user if another writer changed the
 * file first.
 */
export function usePutBack(known: KnownFiles | null, act: RunActions['act']): (put: Put) => void {
  const newest = useRef(known)
  newest.current = known
  const sent = useRef(new Map<number, WorkspacePath>())
  useEffect(() => {
    for (const [eventId, path] of sent.current) {
      const version = known && versionOf(known.files.versions, path, eventId)
      if (!version) continue
      sent.current.delete(eventId)
      if (version.state === 'overruled')
        toast(`Another writer changed ${path} at the same moment, and that change stays.`, { tone: 'bad' })
    }
  }, [known])
  return useCallback(
    (put: Put) => {
      const doIt = ({ path, entry, eventId }: Put, isUndo: boolean) => {
        const { current } = newest
        if (!current) return
        const { files } = current
        const now = files.versions.of(path).find(({ state }) => state === 'current')
        const size = entry ? files.sizeOf(entry.hash) : null
        const done = entry ? `${path} is restored.` : `${path} is deleted.`
        const words = isUndo ? `Undone: ${done}` : done
        try {
          const putting = putBackParams(files.versions, path, { entry, size, eventId })
          if (!putting) return toast(`${path} already has these contents.`)
          const waits = setTimeout(
            () => toast(`${path}: this will be done when the hub can be reached.`),
            showWaitingAfterMs,
          )
          act({ do: 'put-back', path, files: putting }, (end) => {
            clearTimeout(waits)
            if (end.is === 'refused') return toast(end.why, { tone: 'bad' })
            if (end.is === 'sent' && end.eventId !== null) sent.current.set(end.eventId, path)
            const undo = () => doIt({ path, entry: now?.entry ?? null, eventId: now?.eventId ?? null }, true)
            toast(words, isUndo || !now ? {} : { undo })
          })
        } catch (error) {
          toast(error instanceof Error ? error.message : String(error), { tone: 'bad' })
        }
      }
      doIt(put, false)
    },
    [act],
  )
}

const versionOf = (versions: FileVersions, path: string, eventId: number): Version | undefined =>
  versions.of(path).find((version) => version.eventId === eventId)

// An event has at most a thousand files.
const mostInTheWay = 999

type Restoring = { eventId: number | null; entry: Version['entry']; size: number | null }

/**
 * The `file_sync` params that restore a version; null if the file already has these contents. Throws an error whose
 * message is for the user.
 */
export function putBackParams(
  { tree }: FileVersions,
  path: WorkspacePath,
  { entry, size, eventId }: Restoring,
): EventParams<'file_sync'> | null {
  const now = tree.entry(path)
  if (now !== undefined && sameEntry(now, entry)) return null
  const inTheWay = entry ? filesInTheWay(tree, path) : []
  if (inTheWay.length > mostInTheWay)
    throw new Error(`${inTheWay.length} files are in the way of ${path}: delete or move them first.`)
  const file = fileInEvent({ path, entry, was: now, size })
  return { files: [...inTheWay, file], ...(eventId !== null && { restores: { eventId } }) }
}
