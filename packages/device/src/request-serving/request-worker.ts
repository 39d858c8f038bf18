import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { findRequest } from '@farhand/client/resources/requests'
import { askRest } from '@farhand/client/resources/resources'
import { sleep } from '@farhand/kit/sleep'
import type { DeviceRequest } from '@farhand/protocol/schemas/requests'
import type { RequestId } from '@farhand/protocol/wire/ids'
import type { RunnerProcess } from '../hosting/runner-process.ts'
import type { ServeSettings } from '../request-settings/serve-settings.ts'
import type { NotedRequest } from './noted-requests.ts'
import { requestRun } from './request-run.ts'

export type RequestWorkerParts = {
  hub: Hub
  settings: ServeSettings
  /** The runner that works on this run already, as one that outlived the process that started it; null if there is none. */
  running: (run: NotedRequest['at']) => RunnerProcess | null
  /** Starts the runner of a run, in a process of its own. */
  start: (run: ReturnType<typeof requestRun>) => RunnerProcess
  log: (line: string) => void
  signal: AbortSignal
  /** The pause before the second try; 2 s by default. */
  againMs?: number
}

const mostTries = 5
const usualAgainMs = 2_000
/** The hub tells when a request has ended; if that is lost, it is asked after this time. */
const lookMs = 20_000
const restMs = 1_000
const mostRestMs = 30_000
/** How long a runner has to live so that its end counts as the first one. */
const longLifeMs = 60_000

const isOver = ({ state }: DeviceRequest) => !['sent', 'working'].includes(state)

/** Has the local agent work on one request after the other: all of them are in one folder. */
export class RequestWorker {
  readonly #parts: RequestWorkerParts
  readonly #ended = new Map<RequestId, () => void>()

  constructor(parts: RequestWorkerParts) {
    this.#parts = parts
  }

  /** The hub says that this request has ended. */
  ended(id: RequestId): void {
    this.#ended.get(id)?.()
  }

  /** Resolves when the request is over: to null, or to why it could not be done. Rejects when the signal aborts. */
  async work(noted: NotedRequest): Promise<string | null> {
    const { hub, settings, signal, start, running, log, againMs = usualAgainMs } = this.#parts
    const run = requestRun(noted, settings)
    let said = ''
    for (let tries = 0; ; ) {
      if (isOver(await findRequest(hub, noted.id, { signal }))) {
        // The process that started it was killed before it had it end: it would keep the folder from the next request.
        const left = running(noted.at)
        if (left) await this.#rest(noted, left)
        return null
      }
      if (tries >= mostTries) return `The agent ${settings.agent} could not work on it: ${said}`
      const from = performance.now()
      let runner = running(noted.at)
      if (!runner) {
        await post(hub, noted.at, run.mode, { signal })
        runner = start(run)
      }
      said = await this.#untilOver(noted.id, runner)
      if (said === 'over') {
        await this.#rest(noted, runner)
        return null
      }
      log(`${noted.at.run}: ${said}`)
      tries = performance.now() - from > longLifeMs ? 1 : tries + 1
      await sleep(againMs * tries, { signal })
    }
  }

  /** How the runner ended, if it ended before the request was over. */
  async #untilOver(id: RequestId, runner: RunnerProcess): Promise<string> {
    const { hub, signal } = this.#parts
    let end: string | null = null
    let ring = () => {}
    const died = runner.ended.then((how) => {
      end =
        how.is === 'ended' ? `the runner ended${how.said ? `: ${how.said}` : ''}` : `the runner was ${how.is}`
      ring()
    })
    void died
    this.#ended.set(id, () => ring())
    try {
      for (;;) {
        await sleep(lookMs, {
          signal,
          wake: (wake) => {
            ring = wake
            if (end !== null) wake()
            return () => {
              ring = () => {}
            }
          },
        })
        if (isOver(await findRequest(hub, id, { signal }))) return 'over'
        if (end !== null) return end
      }
    } finally {
      this.#ended.delete(id)
    }
  }

  /** Has the runner end once all is in the log: the next request needs the folder. */
  async #rest({ at }: NotedRequest, runner: RunnerProcess): Promise<void> {
    const { hub, signal } = this.#parts
    let isGone = false
    void runner.ended.then(() => {
      isGone = true
    })
    const since = performance.now()
    while (!isGone && performance.now() - since < mostRestMs) {
      // It has more to do, perhaps a message that came meanwhile: then it is asked again.
      await askRest(hub, at, { signal, patienceMs: 0 }).catch(() => {})
      await Promise.race([runner.ended, sleep(restMs, { signal })])
    }
    if (!isGone && runner.pid !== undefined) {
      try {
        process.kill(runner.pid)
      } catch {
        // It has ended since.
      }
      await runner.ended
    }
  }
}
