import { Fault } from '@farhand/protocol/wire/faults'
import type { UserId } from '@farhand/protocol/wire/ids'
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

/** All open streams, for keep-alive, for the hub's stop, and for revoked tokens. */
export class OpenStreams {
  readonly #open = new Map<OpenStream, string>()
  readonly #ofTasks = new Map<OpenStream, UserId>()
  readonly #gauge: Pick<Gauge, 'set'>

  constructor(gauge: Pick<Gauge, 'set'>) {
    this.#gauge = gauge
  }

  add(stream: OpenStream, token: string): void {
    this.#open.set(stream, token)
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
    for (const token of new Set(this.#open.values())) {
      if (await isGood(token)) continue
      for (const [stream, held] of this.#open) if (held === token) stream.leave()
    }
  }
}
