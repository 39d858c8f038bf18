import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { runStatus } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { planUndo, type Undoing, undo } from '@farhand/sync/history/undo'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'
import { forRewind, RewindPoints } from './rewind-points.ts'

type Run = { hub: Hub; at: RunAddress }
type Wanted = { to: number; withConversation: boolean }

export type PlannedRewind = {
  /** The plan for the files; null if no step has to be undone. */
  undo: Awaited<ReturnType<typeof planUndo>>
  files: Undoing
  points: RewindPoints
  /** How many messages the agent forgets, and how many it knows again. */
  forgotten: number
  known: number
}

export type DoneRewind = {
  planned: PlannedRewind
  files: Undoing
  /** The newest event before it. */
  before: number
  /** The event that rewound the conversation; null if that stays. */
  conversation: number | null
  /** The messages whose turns were cancelled first. */
  cancelled: readonly number[]
}

/** How long an agent gets to end its cancelled turn. */
const stopMs = 30_000

const nothing: Undoing = {
  step: null,
  undoes: { from: 0, to: 0 },
  back: [],
  leftAlone: [],
  files: 0,
  eventIds: [],
}

/** What it takes to put the files of a run, and perhaps its conversation, back to how they were after an event. */
export async function planRewind({ hub, at }: Run, to: number, signal: AbortSignal): Promise<PlannedRewind> {
  const points = new RewindPoints()
  const onEvent = points.take.bind(points)
  const planned = await planUndo(hub, at, { to, signal, patienceMs, onEvent })
  return { undo: planned, files: planned?.plan ?? nothing, points, ...points.differing(to) }
}

/** Carries the plan out: cancels the current turn, puts everything back, and lets queued messages begin again. */
export async function rewindRun(
  run: Run,
  first: PlannedRewind,
  { to, withConversation }: Wanted,
  {
    planAgain,
    whileStopping,
    onDone,
    stop,
  }: {
    /** The plan of now; it may throw what is to end the rewind. */
    planAgain: () => Promise<PlannedRewind>
    /** Waits until the agent has stopped. */
    whileStopping: (act: () => Promise<void>) => Promise<void>
    onDone: (done: DoneRewind) => void
    stop: AbortSignal
  },
): Promise<void> {
  const { hub, at } = run
  const { openTurns, isPaused } = first.points
  const isHeld = isPaused === 'for-rewind' || (!isPaused && openTurns.length > 0)
  // Without the pause a queued message would begin as soon as the turn is over, and be rewound with it.
  if (isHeld && !isPaused)
    await post(hub, at, event('pause', { for: forRewind }), { signal: stop, patienceMs })
  try {
    let planned = first
    if (openTurns.length > 0) {
      await endTurns(run, first.points, whileStopping, stop)
      // The turn may have changed files after the first plan.
      planned = await planAgain()
    }
    const files = planned.undo ? await undo(hub, at, planned.undo, { signal: stop }) : planned.files
    const conversation = withConversation
      ? (await post(hub, at, event('rewind', { to }), { signal: stop })).lastEventId
      : null
    onDone({ planned, files, before: planned.points.newest, conversation, cancelled: openTurns })
  } finally {
    // Also when the user stops the command.
    if (isHeld) await post(hub, at, event('resume', {}), { patienceMs })
  }
}

/** Cancels the current turn and resolves when it is over; at once if its runner is dead: then the next runner ends it. */
async function endTurns(
  { hub, at }: Run,
  points: RewindPoints,
  whileStopping: (act: () => Promise<void>) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const options = { signal: stop, patienceMs }
  await post(hub, at, event('cancel', {}), options)
  const { sandboxHealthy } = await runStatus(hub, at, options)
  if (!sandboxHealthy) return
  const enough = AbortSignal.timeout(stopMs)
  const signal = AbortSignal.any([enough, stop])
  try {
    await whileStopping(async () => {
      const rest = follow(hub, at, { after: points.newest, envelope: 'stored', signal })
      for await (const event of rest) {
        points.take(event)
        if (points.openTurns.length === 0) return
      }
    })
  } catch (error) {
    if (!enough.aborted) throw error
    const next = 'Try again when its turn is over.'
    throw new Trouble('failed', 'The agent was told to stop and did not. No file was changed.', next, error)
  }
}
