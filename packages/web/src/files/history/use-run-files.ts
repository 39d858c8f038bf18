import { useEffect, useState } from 'react'
import { Contents } from './contents.ts'
import type { FilesSource } from './files-source.ts'
import { RunFiles } from './run-files.ts'

/** The files of a run as far as they are known. A new object whenever there is news; what is in it is the same. */
export type KnownFiles = { files: RunFiles; contents: Contents; source: FilesSource }

/** OpenSections the log of a run for as long as somebody looks at its files; null until the first events are there. */
export function useRunFiles(source: FilesSource): KnownFiles | null {
  const [known, setKnown] = useState<KnownFiles | null>(null)
  useEffect(() => {
    let files = new RunFiles()
    const contents = new Contents(source, (hash) => files.sizeOf(hash))
    setKnown(null)
    return source.listen((events) => {
      // The hub has another log under this name: what was read before is not what happened.
      if (events[0]?.id === 1 && files.cursor > 0) files = new RunFiles()
      let isNews = files.cursor === 0
      for (const event of events) if (event.id > files.cursor && files.take(event)) isNews = true
      if (isNews) setKnown({ files, contents, source })
    })
  }, [source])
  return known
}
