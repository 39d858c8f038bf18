import type { FilesSource } from '../../files/history/files-source.ts'
import { ForkDialog } from './fork-dialog.tsx'
import type { RewindRequest } from './rewind-context.ts'
import { RewindDialog } from './rewind-dialog.tsx'
import { useMoments } from './use-moments.ts'

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
