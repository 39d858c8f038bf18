import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'

/** Writes progress and warnings of restores and checkpoints to the log. */
export class CheckpointReporter {
  readonly #emit: (event: Notification) => void
  readonly #warned = new Set<string>()

  constructor(emit: (event: Notification) => void) {
    this.#emit = emit
  }

  emit<Name extends EventName>(name: Name, params: EventParams<Name>): void {
    this.#emit(event(name, params))
  }

  /** Writes each warning once. */
  warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.emit('console', { level: 'warn', message })
  }

  /**
   * Reports a phase once it has taken `afterMs`, so that short ones are left out. Call the returned function at its
   * end.
   */
  phase(phase: string, afterMs = 0): (error?: unknown) => void {
    const since = performance.now()
    let isTold = false
    const begin = () => {
      isTold = true
      this.emit('phase_start', { phase })
    }
    const timer = afterMs > 0 ? setTimeout(begin, afterMs) : undefined
    if (!timer) begin()
    return (error) => {
      clearTimeout(timer)
      if (!isTold) return
      const ms = Math.round(performance.now() - since)
      const how = error === undefined ? { ok: true } : { ok: false, error: inWords(error) }
      this.emit('phase_complete', { phase, ms, ...how })
    }
  }
}

export const inWords = (error: unknown) => (error instanceof Error ? error.message : String(error))
