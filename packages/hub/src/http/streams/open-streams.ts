import type { Gauge } from 'prom-client'

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
  readonly #gauge: Pick<Gauge, 'set'>

  constructor(gauge: Pick<Gauge, 'set'>) {
    this.#gauge = gauge
  }

  add(stream: OpenStream, token: string): void {
    this.#open.set(stream, token)
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
    for (const token of new Set(this.#open.values())) {
      if (await isGood(token)) continue
      for (const [stream, held] of this.#open) if (held === token) stream.leave()
    }
  }
}
