import { useEffect, useState } from 'react'
import type { FilesSource } from '../../files/files-source.ts'
import { Moments } from './moments.ts'

/** The moments of a run, and again with each portion of its log: a new object each time, with the same in it. */
export function useMoments({ listen }: FilesSource): { moments: Moments } | null {
  const [known, setKnown] = useState<{ moments: Moments } | null>(null)
  useEffect(() => {
    const moments = new Moments()
    return listen((events) => {
      for (const event of events) if (event.id > moments.cursor) moments.take(event)
      setKnown({ moments })
    })
  }, [listen])
  return known
}
