import { pointInWords } from '../../files/history/point-in-words.ts'
import { Field } from '../../ui/field.tsx'
import type { RewindPoints } from './rewind-points.ts'

type Props = {
  label: string
  rewindPoints: RewindPoints
  chosen: number
  /** Whether the newest event can be chosen. */
  hasNow: boolean
  onChoose: (eventId: number) => void
}

/** Chooses a point of a run. */
export function PointField({ label, rewindPoints, chosen, hasNow, onChoose }: Props) {
  const options = new Map<number, string>()
  if (hasNow) options.set(rewindPoints.cursor, 'Now')
  for (const point of rewindPoints.points())
    if (point.eventId > 0 && !options.has(point.eventId)) options.set(point.eventId, pointInWords(point))
  if (!options.has(chosen)) options.set(chosen, `After event ${chosen}`)
  return (
    <Field label={label}>
      {(given) => (
        <select {...given} value={chosen} onChange={(event) => onChoose(Number(event.target.value))}>
          {[...options].map(([eventId, words]) => (
            <option key={eventId} value={eventId}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
