import { useEffect, useState } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { ForkDialog } from './fork-dialog.tsx'
import type { RewindRequest } from './rewind-context.ts'
import { RewindDialog } from './rewind-dialog.tsx'
import { RewindPoints } from './rewind-points.ts'

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
  const known = useRewindPoints(source)
  if (!known) return null
  const { rewindPoints } = known
  const event =
    asked.event === null || asked.isExact
      ? asked.event
      : (rewindPoints.pointAt(asked.event)?.eventId ?? asked.event)
  return asked.do === 'fork' ? (
    <ForkDialog {...{ source, rewindPoints, title, event, isOnUserDevice, onClose }} />
  ) : (
    <RewindDialog {...{ source, known, event, isWorking, onStop, onClose }} />
  )
}

/** The points of a run: a new object for each batch of events, with the same `rewindPoints` in it. */
function useRewindPoints({ listen }: FilesSource): { rewindPoints: RewindPoints } | null {
  const [known, setKnown] = useState<{ rewindPoints: RewindPoints } | null>(null)
  useEffect(() => {
    let rewindPoints = new RewindPoints()
    return listen((events) => {
      // The hub has another log under this id: discard what was read before.
      if (events[0]?.id === 1 && rewindPoints.cursor > 0) rewindPoints = new RewindPoints()
      for (const event of events) if (event.id > rewindPoints.cursor) rewindPoints.take(event)
      setKnown({ rewindPoints })
    })
  }, [listen])
  return known
}
