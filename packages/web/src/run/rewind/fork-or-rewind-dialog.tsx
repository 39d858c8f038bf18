import { useEffect, useState } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { ForkDialog } from './fork-dialog.tsx'
import { Moments } from './moments.ts'
import type { RewindRequest } from './rewind-context.ts'
import { RewindDialog } from './rewind-dialog.tsx'

type Props = {
  asked: RewindRequest
  source: FilesSource
  title: string
  isOnUserDevice: boolean
  isWorking: boolean
  onStop: () => void
  onClose: () => void
}

/** The dialog for a fork or rewind, once the points of the run are known. */
export function ForkOrRewindDialog({
  asked,
  source,
  title,
  isOnUserDevice,
  isWorking,
  onStop,
  onClose,
}: Props) {
  const known = useMoments(source)
  if (!known) return null
  const { moments } = known
  const event =
    asked.event === null || asked.isExact
      ? asked.event
      : (moments.pointAt(asked.event)?.eventId ?? asked.event)
  return asked.do === 'fork' ? (
    <ForkDialog {...{ source, moments, title, event, isOnUserDevice, onClose }} />
  ) : (
    <RewindDialog {...{ source, known, event, isWorking, onStop, onClose }} />
  )
}

/** The points of a run: a new object for each batch of events, with the same `moments` in it. */
function useMoments({ listen }: FilesSource): { moments: Moments } | null {
  const [known, setKnown] = useState<{ moments: Moments } | null>(null)
  useEffect(() => {
    let moments = new Moments()
    return listen((events) => {
      // The hub has another log under this id: discard what was read before.
      if (events[0]?.id === 1 && moments.cursor > 0) moments = new Moments()
      for (const event of events) if (event.id > moments.cursor) moments.take(event)
      setKnown({ moments })
    })
  }, [listen])
  return known
}
