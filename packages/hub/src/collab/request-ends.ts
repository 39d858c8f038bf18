import type { RequestId, RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'

type Parts = {
  log: EventLog
  /** Looks whether the requests of this run have ended. */
  look: (run: RunId, requests: readonly RequestId[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Follows the logs of the runs whose requests have not ended. Runs that no request waits for cost one look into a map. */
export class RequestEnds {
  readonly #parts: Parts
  readonly #open = new Map<RunId, Set<RequestId>>()
  readonly #looking = new Map<RunId, { again: boolean }>()
  #unsubscribe = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#unsubscribe = this.#parts.log.onAnyGrowth((run) => {
      if (this.#open.has(run)) this.#look(run)
    })
  }

  stop(): void {
    this.#unsubscribe()
    this.#open.clear()
  }

  /** Follows the run of this request, from now on and for what happened before. */
  watch(run: RunId, request: RequestId): void {
    const requests = this.#open.get(run) ?? new Set()
    this.#open.set(run, requests.add(request))
    this.#look(run)
  }

  forget(run: RunId, request: RequestId): void {
    const requests = this.#open.get(run)
    requests?.delete(request)
    if (requests?.size === 0) this.#open.delete(run)
  }

  #look(run: RunId): void {
    const looking = this.#looking.get(run)
    if (looking) {
      looking.again = true
      return
    }
    const one = { again: false }
    this.#looking.set(run, one)
    this.#parts
      .look(run, [...(this.#open.get(run) ?? [])])
      .catch(this.#parts.onError)
      .finally(() => {
        this.#looking.delete(run)
        if (one.again && this.#open.has(run)) this.#look(run)
      })
  }
}
