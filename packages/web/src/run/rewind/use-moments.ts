import { useEffect, useState } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { Moments } from './moments.ts'

/** The points of a run: a new object for each batch of events, with the same `moments` in it. */
export function useMoments({ listen }: FilesSource): { moments: Moments } | null {
  const [known, setKnown] = useState<{ moments: Moments } | null>(null)
  useEffect(() => {
    let moments = new Moments()
    return listen((events) => {
      // // The hub has another log under this id: discard what was read before.
      if (events[0]?.id === 1 && moments.cursor > 0) moments = new Moments()
      for (const event of events) if (event.id > moments.cursor) moments.take(event)
      setKnown({ moments })
    })
  }, [listen])
  return known
}
