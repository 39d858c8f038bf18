import { useEffect, useState } from 'react'
import { Contents } from './contents.ts'
import type { FilesSource } from './files-source.ts'
import { RunFiles } from './run-files.ts'

/** The known files of a run. A new object after each change; `files` and `contents` stay the same objects. */
export type KnownFiles = { files: RunFiles; contents: Contents; source: FilesSource }

/** Folds the log of a run while the component is mounted; null until the first events arrive. */
export function useRunFiles(source: FilesSource): KnownFiles | null {
  const [known, setKnown] = useState<KnownFiles | null>(null)
  useEffect(() => {
    let files = new RunFiles()
    const contents = new Contents(source, (hash) => files.sizeOf(hash))
    setKnown(null)
    return source.listen((events) => {
      // The hub has another log under this id: discard what was read before.
      if (events[0]?.id === 1 && files.cursor > 0) files = new RunFiles()
      let isNews = files.cursor === 0
      for (const event of events) if (event.id > files.cursor && files.take(event)) isNews = true
      if (isNews) setKnown({ files, contents, source })
    })
  }, [source])
  return known
}
