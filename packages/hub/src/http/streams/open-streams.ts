import { Fault } from '@farhand/protocol/wire/faults'
import type { ProjectId, UserId } from '@farhand/protocol/wire/ids'
import type { Gauge } from 'prom-client'

/** Each stream of a task has a story of its own in memory. */
const mostOfTasks = 20

/** A stream or a socket that stays open. */
type OpenStream = {
  onClose: () => void
  tick(quietTicks: number): void
  reconnect(): void
  leave(): void
}

type Opened = { token: string; user?: UserId; project?: ProjectId | null }

/** All open streams, for keep-alive, for the hub's stop, for revoked tokens, and for users who are removed from a project. */
export class OpenStreams {
  readonly #open = new Map<OpenStream, Opened>()
  readonly #ofTasks = new Map<OpenStream, UserId>()
  readonly #gauge: Pick<Gauge, 'set'>

  constructor(gauge: Pick<Gauge, 'set'>) {
    this.#gauge = gauge
  }

  /** `of`: the user who reads it, and in which project; null: in all of theirs. */
  add(stream: OpenStream, token: string, of?: { user: UserId; project: ProjectId | null }): void {
    this.#open.set(stream, { token, ...of })
    this.#gauge.set(this.#open.size)
    stream.onClose = () => {
      this.#open.delete(stream)
      this.#ofTasks.delete(stream)
      this.#gauge.set(this.#open.size)
    }
  }

  /** Refuses one more stream of a task to a user who has as many as are allowed (W85). */
  checkRoomForTask(user: UserId): void {
    if ([...this.#ofTasks.values()].filter((one) => one === user).length >= mostOfTasks)
      throw new Fault('hub.busy', `you have ${mostOfTasks} streams of tasks open: end one of them first`)
  }

  addOfTask(stream: OpenStream, token: string, user: UserId): void {
    this.add(stream, token)
    this.#ofTasks.set(stream, user)
  }

  /** Must be called several times per keep-alive period. */
  tick(quietTicks: number): void {
    for (const stream of this.#open.keys()) stream.tick(quietTicks)
  }

  /** Tells every reader to reconnect later. */
  reconnect(): void {
    for (const stream of this.#open.keys()) stream.reconnect()
  }

  /** Ends the streams of tokens that are no longer valid. */
  async endRejected(isGood: (token: string) => Promise<boolean>): Promise<void> {
    for (const token of new Set([...this.#open.values()].map((one) => one.token))) {
      if (await isGood(token)) continue
      for (const [stream, held] of this.#open) if (held.token === token) stream.leave()
    }
  }

  /** Ends the streams of a user who may no longer read in this project. Those of all projects begin again without it. */
  endOf(user: UserId, project: ProjectId): void {
    for (const [stream, held] of this.#open) {
      if (held.user === user && (held.project === project || held.project === null)) stream.leave()
    }
  }
}
