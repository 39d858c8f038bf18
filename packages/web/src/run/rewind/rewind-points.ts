import { eventName } from '@farhand/protocol/events/event-names'
import { Ack } from '@farhand/protocol/methods/conversation'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { type ChangedFile, changedSince } from '../../files/history/changed-since.ts'
import { type Point, RunFiles } from '../../files/history/run-files.ts'

/** What a rewind to an event changes. */
export type RewindPlan = {
  to: number
  /** Files that get their old contents back. */
  back: ChangedFile[]
  /** Files of which the log does not say what they were: they stay. */
  unknown: WorkspacePath[]
  /** How many messages the agent forgets, and how many it knows again. */
  forgotten: number
  known: number
}

/** The points of a run to go back to, and what that would change: a fold over its log. */
export class RewindPoints {
  readonly files = new RunFiles()
  readonly #begun = new Map<number, number>()

  take(event: SeenEvent): void {
    this.files.take(event)
    const { method, params } = event.notification
    const ack = eventName(method) === 'ack' ? Ack.safeParse(params).data : undefined
    // A message into a running turn belongs to that turn, and a resumed message was started before.
    if (ack && ack.into === undefined && !this.#begun.has(ack.id)) this.#begun.set(ack.id, event.id)
  }

  /** The last event taken. */
  get cursor(): number {
    return this.files.cursor
  }

  /** Newest first, the beginning last. */
  points(): Point[] {
    const [beginning, ...others] = this.files.points()
    return beginning ? [...others, beginning] : others
  }

  /** The point for an event: the last one that is not after it. */
  pointAt(eventId: number): Point | null {
    return this.points().find((point) => point.is !== 'message' && point.eventId <= eventId) ?? null
  }

  planRewind(to: number): RewindPlan {
    const changed = changedSince(this.files, to)
    const acks = [...this.#begun.values()]
    const { conversation } = this.files
    const is = (ack: number) => conversation.has(ack)
    const was = (ack: number) => conversation.has(ack, to)
    return {
      to,
      back: changed.filter(({ before }) => before !== undefined),
      unknown: changed.filter(({ before }) => before === undefined).map(({ path }) => path),
      forgotten: acks.filter((ack) => is(ack) && !was(ack)).length,
      known: acks.filter((ack) => was(ack) && !is(ack)).length,
    }
  }
}

type Listen = (take: (events: readonly SeenEvent[]) => void) => () => void

/** Resolves with the points of a run once its log is read up to this event. */
export function rewindPointsUpTo(listen: Listen, eventId: number): Promise<RewindPoints> {
  return new Promise((resolve) => {
    const rewindPoints = new RewindPoints()
    let leave: (() => void) | null = null
    const isThere = () => rewindPoints.cursor >= eventId
    leave = listen((events) => {
      for (const event of events) if (event.id > rewindPoints.cursor) rewindPoints.take(event)
      if (!isThere()) return
      leave?.()
      resolve(rewindPoints)
    })
    if (isThere()) leave()
  })
}
