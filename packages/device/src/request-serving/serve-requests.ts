import { sleep } from '@farhand/kit/sleep'
import type { AcpRequest, FrameToDevice } from '@farhand/protocol/schemas/device-frames'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { DeviceToken } from '../device-token/device-token.ts'
import { withDeviceToken } from '../device-token/with-device-token.ts'
import { type RunnerProcess, startRunnerProcess } from '../hosting/runner-process.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { readServeSettings, type ServeSettings } from '../request-settings/serve-settings.ts'
import { DeviceConnection } from './device-connection.ts'
import { NotedRequests } from './noted-requests.ts'
import { RequestWorker } from './request-worker.ts'

export type ServeParts = {
  state: StateFolder
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  log: (line: string) => void
}

/** Answers requests of a hub with the agent of this computer, for as long as the user allows it. */
export class RequestServing {
  readonly #parts: ServeParts
  #now: {
    settings: ServeSettings
    device: string | null
    stop: AbortController
    over: Promise<void>
  } | null = null
  #isClosed = false

  constructor(parts: ServeParts) {
    this.#parts = parts
  }

  /** Whether the user has requests answered here: the device process stays for that. */
  get isOn(): boolean {
    return this.#now !== null
  }

  /** Must be called when the settings may have changed. */
  look(): void {
    if (this.#isClosed) return
    const wanted = readServeSettings(this.#parts.state.root)
    const { settings, device: before } = this.#now ?? {}
    const device = wanted && (this.#parts.state.tokens.boundAs(wanted.url)?.device ?? null)
    const isSame = JSON.stringify(wanted) === JSON.stringify(settings) && device === before
    if (settings && wanted?.isOn && isSame) return
    const ended = this.#end()
    if (!wanted?.isOn) return
    const stop = new AbortController()
    const over = ended
      .then(() => serve(wanted, this.#parts, stop.signal))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) this.#parts.log(`requests: ${error instanceof Error ? error.stack : error}`)
      })
      .finally(() => {
        if (this.#now?.stop === stop) this.#now = null
      })
    this.#now = { settings: wanted, device, stop, over }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const now = this.#now
    this.#now = null
    now?.stop.abort()
    await now?.over
  }
}

const pauseMs = 10_000

async function serve(settings: ServeSettings, parts: ServeParts, stop: AbortSignal): Promise<void> {
  const unbound = new AbortController()
  const signal = AbortSignal.any([stop, unbound.signal])
  const { state, self, env, log } = parts
  const { url } = settings
  const runs = new KnownRuns(state.root)
  const token = state.tokens.of(url) ?? ''
  const hub = withDeviceToken(state.root, viaLocalSocket(state.root, { url, token }))
  const own = new DeviceToken(state.root, url)
  const noted = new NotedRequests(state.root, { url, device: state.tokens.boundAs(url)?.device ?? '' })
  let ring = () => {}
  const worker = new RequestWorker({
    ...{ hub, settings, log, signal },
    running: ({ run }) => runnerOf(runs, run, signal),
    start: ({ at, agent, workspace }) =>
      startRunnerProcess(
        // Read now: it may have been renewed.
        { url, token: state.tokens.of(url) ?? token, at, agent, workspace },
        { runs, stateFolderPath: state.root, self, env, syncs: false },
      ),
  })
  const take = ({ request_id, run }: AcpRequest) => {
    if (!run) return
    // On disk before the hub hears of it: it will not send it again.
    noted.note(request_id, run)
    connection.say('acp_ack', { request_id })
    ring()
  }
  const heard = (frame: FrameToDevice) => {
    if (frame.type === 'acp_request') take(frame.data)
    if (frame.type === 'acp_error') log(`requests: the hub says ${frame.data.code}: ${frame.data.message}`)
    if (frame.type !== 'acp_ack' && frame.type !== 'acp_cancel') return
    const { request_id } = frame.data
    if (noted.find(request_id)?.over) noted.end(request_id)
    worker.ended(request_id)
  }
  const tell = () => {
    for (const { id, error } of noted.untold()) connection.say('acp_reply', { request_id: id, error })
  }
  const connection = new DeviceConnection({
    ...{ url, signal, log, heard },
    token: () => own.current(),
    connected: tell,
  })
  const working = async () => {
    while (!signal.aborted) {
      const [next] = noted.open()
      if (!next) {
        await sleep(Number.POSITIVE_INFINITY, {
          signal,
          wake: (wake) => {
            ring = wake
            if (noted.open().length > 0) wake()
            return () => {
              ring = () => {}
            }
          },
        }).catch(() => {})
        continue
      }
      try {
        const error = await worker.work(next)
        noted.end(next.id, error ?? undefined)
        tell()
      } catch (error) {
        if (signal.aborted) return
        log(`requests: ${next.id}: ${error instanceof Error ? error.message : error}`)
        // The hub has forgotten it, or refuses this computer: it must not keep the others from being done.
        if (isGone(error)) noted.end(next.id)
        else await sleep(pauseMs, { signal }).catch(() => {})
      }
    }
  }
  const work = working()
  const end = await connection.run()
  if (end === 'not-bound') log(`requests: this computer is not bound to ${url} any more`)
  unbound.abort()
  await work
}

const holderMs = 1_000

/** A runner that another process has started. It may be a command of the user's: it is asked to end, and not killed. */
function runnerOf(runs: KnownRuns, run: RunId, signal: AbortSignal): RunnerProcess | null {
  const pid = runs.holder(run)
  if (pid === null) return null
  const left = async () => {
    while (runs.holder(run) === pid && !signal.aborted) await sleep(holderMs, { signal }).catch(() => {})
    return { is: 'ended', code: 0, said: '' } as const
  }
  return { pid: undefined, log: runs.logOf(run), ended: left() }
}

const isGone = (error: unknown) => (error as { code?: unknown } | null)?.code === 'acp.request-unknown'
