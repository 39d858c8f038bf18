import type { FileVersions, Version } from '@farhand/protocol/file-versions'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from '../look/toasts.ts'
import { putBack } from './put-back.ts'
import type { KnownFiles } from './use-run-files.ts'

type Put = { path: WorkspacePath; entry: FileEntry | null; eventId: number | null }

/** Puts a version of a file back and says so, with a way to undo that; also when somebody else turns out to have been first. */
export function usePuttingBack(known: KnownFiles | null): (put: Put) => void {
  const newest = useRef(known)
  newest.current = known
  const sent = useRef(new Map<number, WorkspacePath>())
  useEffect(() => {
    for (const [eventId, path] of sent.current) {
      const version = known && versionOf(known.files.versions, path, eventId)
      if (!version) continue
      sent.current.delete(eventId)
      if (version.state === 'overruled')
        toast(`${path} was changed by somebody else in the same moment, and stays as they have it.`, {
          tone: 'bad',
        })
    }
  }, [known])
  return useCallback((put: Put) => {
    const doIt = async ({ path, entry, eventId }: Put, isUndo: boolean) => {
      const { current } = newest
      if (!current) return
      const { files, source } = current
      const now = files.versions.of(path).find(({ state }) => state === 'current')
      const size = entry ? files.sizeOf(entry.hash) : null
      try {
        const done = await putBack(source, files.versions, path, { entry, size, eventId })
        if (done === null) return toast(`${path} is that already.`)
        sent.current.set(done, path)
        const undo = () => void doIt({ path, entry: now?.entry ?? null, eventId: now?.eventId ?? null }, true)
        const words = entry ? `${path} is ${isUndo ? '' : 'again '}as it was.` : `${path} is deleted.`
        toast(words, isUndo || !now ? {} : { undo })
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), { tone: 'bad' })
      }
    }
    void doIt(put, false)
  }, [])
}

const versionOf = (versions: FileVersions, path: string, eventId: number): Version | undefined =>
  versions.of(path).find((version) => version.eventId === eventId)
