import type { ProjectId, UserId } from '@farhand/protocol/wire/ids'
import type { Gauge } from 'prom-client'

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
      this.#gauge.set(this.#open.size)
    }
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
