import type { LinkStatus } from '@farhand/device/device-process/device-protocol'
import { pathFrom } from '@farhand/device/find-run/run-paths'
import { KnownNames } from '@farhand/device/linked-folders/device-names'
import type { SkipWords } from '@farhand/device/linked-folders/skip-reports'
import { syncLinkedFolder } from '@farhand/device/linked-folders/sync-linked-folder'
import { count } from '@farhand/device/wording/count'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { type Decided, linkQuestions } from '../../terminal/link-screen/link-questions.ts'
import { jsonScreen, type LinkScreen, textScreen } from '../../terminal/link-screen/link-screen.ts'
import { whySkipped } from '../../terminal/link-screen/note-in-words.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { closedTrouble, commandsFor, stopTrouble } from './link-troubles.ts'

/** The flags of `farhand link`. */
export type LinkFlags = Readonly<
  Partial<
    Record<
      | 'run'
      | 'wins'
      | 'mine'
      | 'theirs'
      | 'gone'
      | 'head'
      | 'maxFile'
      | 'secrets'
      | 'reopen'
      | 'background'
      | 'kept'
      | 'state'
      | 'hub'
      | 'token'
      | 'json',
      unknown
    >
  >
>

type Circumstances = {
  flags: LinkFlags
  maxFileBytes: number | undefined
  state: StateFolder
  madeFor: string | undefined
  isNew: boolean
  /** In a thread of the device process: where it is shown what happens, and what hears the status of the link. */
  screen?: LinkScreen
  onStatus?: (status: LinkStatus) => void
}

/** Syncs a linked folder and shows what happens; resolves when the user stops it, or the run is closed. */
export async function keepInSync(
  link: Link,
  circumstances: Circumstances,
  context: CommandContext,
): Promise<void> {
  const { flags, maxFileBytes, state, onStatus } = circumstances
  const { stop } = context
  const memory = state.memoryOf(link.folder, link.at)
  const again = commandsFor(link, flags, context)
  const known = new KnownNames(memory)
  const ready = {
    folder: link.folder,
    hub: link.url,
    ...link.at,
    wins: link.wins,
    device: link.wins === 'disk' ? link.device : null,
  }
  const screen =
    circumstances.screen ??
    (flags.json
      ? jsonScreen(context, ready)
      : textScreen(context, {
          farhand: context.called.farhand,
          self: link.device,
          again: again.link,
          state: flags.state === undefined ? undefined : String(flags.state),
          folder: link.folder,
          devices: known.names,
          pathFor: (name) => pathFrom(context.cwd, link, name),
        }))
  const { ask, refusal, unchanged } = linkQuestions(
    decidedBy(flags),
    flags.json ? { ...context, ask: null } : context,
    screen,
    again.link,
  )
  let unsentOffline = 0
  try {
    const end = await syncLinkedFolder(
      link,
      {
        ...{ state, version, maxFileBytes, stop, ask, env: context.env, home: context.home },
        ...(onStatus && { onStatus }),
        reopens: Boolean(flags.reopen),
        skipWords: skipWords(context.called.farhand),
      },
      {
        begun() {
          if (flags.json) context.out(`${JSON.stringify({ event: 'linked', ...ready })}\n`)
          else for (const line of greeting(link, circumstances, context)) screen.say(line)
        },
        note: screen.note,
        event(event) {
          if (!flags.json) hear(event, known, screen)
        },
        branches: (names) =>
          screen.say(
            `The agent has committed: ${names.map(lineInWords).join(', ')}. See \`${context.called.farhand} commits\`.`,
          ),
        commitsWait: (why) =>
          screen.say(`What the agent has committed stays at the hub for now: ${lineInWords(why)}`),
        over(unsent) {
          unsentOffline = unsent
        },
      },
    )
    if (end.is === 'stopped') return
    screen.close()
    if (flags.json)
      context.out(`${JSON.stringify({ event: 'ended', why: 'run.closed', unsent: end.unsent })}\n`)
    const trouble = closedTrouble(end.unsent, again)
    if (trouble) throw trouble
    screen.say('The run was closed. Nothing of this folder was left to be sent.')
  } catch (error) {
    if (stop.aborted) return
    const refused = refusal()
    if (refused) throw refused
    if ((error as { why?: unknown }).why !== 'answer') {
      throw stopTrouble(error, { ...link, memory }, again) ?? error
    }
    screen.say(`Stopped, as you chose. ${unchanged()}`)
  } finally {
    if (stop.aborted && !flags.json)
      screen.say(`Stopped. ${offlineInWords(unsentOffline)}\`${again.link}\` goes on from here.`)
    screen.close()
  }
}

/** The changes that are not in the run when the sync stops, as a sentence; empty if there are none. */
function offlineInWords(changes: number): string {
  if (changes === 0) return ''
  return `${count(changes, 'change')} made while offline ${changes === 1 ? 'is' : 'are'} not in the run yet. `
}

function hear(event: SeenEvent, known: KnownNames, screen: LinkScreen): void {
  known.take(event)
  // The runner may take a while to send its last changes, and nothing else would show it.
  if (isEvent(event.notification, 'close')) screen.say('The run is being closed.')
}

function decidedBy({ mine, theirs, gone, head }: LinkFlags): Decided {
  return {
    ...(mine ? { 'first-attach': 'mine' as const } : theirs ? { 'first-attach': 'theirs' as const } : {}),
    ...(gone === 'delete' || gone === 'bring-back' ? { vanished: gone } : {}),
    ...(head === 'send' ? { 'head-moved': head } : {}),
  }
}

function greeting(link: Link, { madeFor, isNew, state }: Circumstances, context: CommandContext): string[] {
  const { bold, dim } = paint(context.color)
  const side =
    link.wins === 'disk'
      ? 'your side: when both change a file, this folder wins'
      : "the run's far side: when both change a file, the other folders win"
  const other = link.wins === 'disk' ? ' --wins log' : ''
  const second = `${context.called.farhand} link <another folder> --run ${link.at.run}${other} --hub ${link.url}`
  return [
    `${bold(link.folder)} is linked to ${bold(link.at.run)} at ${link.url}`,
    dim(`This is ${side}. Ctrl-C stops.`),
    ...(madeFor
      ? [dim(`A token for ${madeFor} was made on the hub's data and is kept in ${state.root}.`)]
      : []),
    ...(isNew ? [`In another terminal: ${bold(second)}`] : []),
  ]
}

/** What the log of a run says of files of a linked folder that are not synced. */
export const skipWords = (farhand: string): SkipWords => ({
  skipped: (folder, skip) => `Not synced from ${folder}: ${skip.path}: ${whySkipped(skip)}.`,
  more: (folder) => `More files of ${folder} are not synced: ${farhand} status lists them there.`,
})
