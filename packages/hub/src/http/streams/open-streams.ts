import type { Gauge } from 'prom-client'
import type { SseStream } from './sse-stream.ts'

/** All open streams, for keep-alive, for the hub's stop, and for revoked tokens. */
export class OpenStreams {
  readonly #open = new Map<SseStream, string>()
  readonly #gauge: Pick<Gauge, 'set'>

  constructor(gauge: Pick<Gauge, 'set'>) {
    this.#gauge = gauge
  }

  add(stream: SseStream, token: string): void {
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
