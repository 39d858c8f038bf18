import { useMemo, useState } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.ts'
import css from './fork-or-rewind-dialog.module.css'
import { PointField } from './point-field.tsx'
import type { RewindPlan, RewindPoints } from './rewind-points.ts'
import { rewindRun } from './rewind-run.ts'
import { undoRewind } from './undo-rewind.ts'

type Props = {
  source: FilesSource
  /** A new object for each batch of events. */
  known: { rewindPoints: RewindPoints }
  event: number | null
  /** Whether an agent is working: it would go on writing files during the rewind. */
  isWorking: boolean
  onStop: () => void
  onClose: () => void
}

/** Asks for a point, says what the rewind changes, and does it. The rewind can be undone. */
export function RewindDialog({ source, known, event, isWorking, onStop, onClose }: Props) {
  const { rewindPoints } = known
  const [to, setTo] = useState(() => event ?? lastMessage(rewindPoints))
  const [withConversation, setWithConversation] = useState(true)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { cursor } = rewindPoints
  const way = useMemo(() => known.rewindPoints.planRewind(to), [known, to])
  const rewind = async () => {
    setBusy(true)
    setTrouble(null)
    try {
      const last = await rewindRun(source, rewindPoints, way, withConversation)
      toast('The run was rewound.', { undo: () => void undoRewind(source, cursor, last, withConversation) })
      onClose()
    } catch (error) {
      setTrouble((error as Error).message)
      setBusy(false)
    }
  }
  const isNothing = !isAnyChange(way, withConversation)
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      {isWorking ? (
        <Button key="stop" as="danger" icon="stop" onClick={onStop}>
          Stop the agent
        </Button>
      ) : (
        <Button
          key="rewind"
          as="danger"
          isGuarded
          disabled={isBusy || isNothing}
          onClick={() => void rewind()}
        >
          {isBusy ? 'Rewinding' : 'Rewind'}
        </Button>
      )}
    </>
  )
  return (
    <Dialog title="Rewind this run" onClose={onClose} buttons={buttons}>
      <div className={css.form}>
        <PointField label="Back to" rewindPoints={rewindPoints} chosen={to} hasNow={false} onChoose={setTo} />
        <label className={css.check}>
          <input
            type="checkbox"
            checked={withConversation}
            onChange={(event) => setWithConversation(event.target.checked)}
          />
          Also rewind the conversation
        </label>
        <ul className={css.actions} aria-live="polite">
          {rewindPlanInWords(way, withConversation).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
        <p className={css.note}>
          {isWorking
            ? 'The agent is working. Stop it first, or it would change files during the rewind.'
            : 'Linked folders follow. Nothing is lost: it can be undone, and every version stays.'}
        </p>
        {trouble && (
          <p className={css.trouble} role="alert">
            It could not be rewound: {trouble}
          </p>
        )}
      </div>
    </Dialog>
  )
}

/** By default, the last message that was not taken back: most users want to try it again. */
const lastMessage = (rewindPoints: RewindPoints) =>
  (
    rewindPoints.points().find((point) => point.is === 'message' && !point.isTakenBack) ??
    rewindPoints.points()[0]
  )?.eventId ?? 0

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/** What a rewind will do, one sentence for each part. */
export function rewindPlanInWords(
  { back, unknown, forgotten, known }: RewindPlan,
  withConversation: boolean,
): string[] {
  const words: string[] = []
  const gone = back.filter(({ before }) => before === null).length
  const put = back.length - gone
  if (back.length === 0) words.push('The files are as they were then.')
  if (put > 0) words.push(`${counted(put, 'file')} will be as ${put === 1 ? 'it was' : 'they were'} then.`)
  if (gone > 0)
    words.push(`${counted(gone, 'file')} that came later will be deleted, and can be put back any time.`)
  if (unknown.length > 0)
    words.push(`${counted(unknown.length, 'file')} will stay: the log does not say what was there before.`)
  if (!withConversation) words.push('The agent still knows the whole conversation.')
  else if (forgotten + known === 0) words.push('Nothing of the conversation changes.')
  if (withConversation && forgotten > 0) words.push(`The agent will forget ${counted(forgotten, 'message')}.`)
  if (withConversation && known > 0) words.push(`The agent will know ${counted(known, 'message')} again.`)
  return words
}

/** Whether a rewind would change anything. */
export const isAnyChange = ({ back, forgotten, known }: RewindPlan, withConversation: boolean): boolean =>
  back.length > 0 || (withConversation && forgotten + known > 0)
