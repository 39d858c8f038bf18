import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { LastShown } from '@farhand/device/presence/last-shown'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CommandContext } from '../../context/command-context.ts'
import type { RunScreen } from '../../terminal/run-screen/run-screen.ts'
import { countUnseen, nothingUnseen, sinceInWords } from './unseen-events.ts'

type Place = { hub: Hub; at: RunAddress }

/** Prints a summary of what has happened in a run since this machine showed it last; nothing if it never has. */
export async function reportUnseen(
  { hub, at }: Place,
  stateRoot: string,
  { json }: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  const after = new LastShown(stateRoot, at.run).eventId
  if (after === null) return
  let since = nothingUnseen(after)
  try {
    for await (const event of readLog(hub, at, { after, signal: context.stop, patienceMs }))
      since = countUnseen(since, event)
  } catch (error) {
    // The hub was restored from a backup and does not have the events that were seen: there is no summary, and
    // attaching goes on.
    if (error instanceof Refusal && error.code === 'cursor.ahead') return
    throw error
  }
  if (json) return context.out(`${JSON.stringify({ event: 'since', ...since, files: [...since.files] })}\n`)
  const words = sinceInWords(since)
  if (words !== null) context.note(`${lineInWords(words)}\n`)
}

/** The same screen, which remembers the last event that it showed. Call `done` at its end. */
export function rememberShown(screen: RunScreen, { at }: Pick<Place, 'at'>, stateRoot: string) {
  const last = new LastShown(stateRoot, at.run)
  const { events, past, present } = screen
  let lastPast = 0
  screen.events = (said) => {
    events.call(screen, said)
    for (const { id } of said) last.shown(id)
  }
  screen.past = (event, isIdle) => {
    past.call(screen, event, isIdle)
    lastPast = event.id
  }
  screen.present = () => {
    present.call(screen)
    if (lastPast > 0) last.shown(lastPast)
  }
  return { screen, done: () => last.save() }
}
