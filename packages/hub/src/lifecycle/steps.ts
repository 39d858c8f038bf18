import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { Notification } from '@farhand/protocol/wire/event'
import { type RunId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import type { Secret } from '../access/secret.ts'
import type { EventLog } from '../log/event-log.ts'
import type { LogReaders } from '../log/follow.ts'
import { beginGeneration } from '../runs/begin-generation.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxEnd, SandboxHost } from '../sandboxes/sandbox-host.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import type { Db } from '../store/tables.ts'
import {
  eventNeedingSandbox,
  type Failures,
  isAwake,
  isBusy,
  type KnownSandbox,
  oneMore,
  type Step,
  type Terms,
} from './decide.ts'
import type { SandboxPlacement } from './sandbox-placement.ts'

export type StepsParts = {
  db: Db
  log: EventLog
  secret: Secret
  readers: LogReaders
  placement: SandboxPlacement
  /** A monotonic clock, in ms since 1970. */
  now: () => number
}

export type Row = SandboxRow<Failures>

/** The stored row of a run's sandbox, and what this process has seen of it. */
export type KeptRun = {
  row: Row
  /** The times of the events that matter, by the keeper's clock. */
  times: ReadonlyMap<string, number>
  /** The user of the run; null until the run was checked. */
  owner: UserId | null
  /** From when its time limits count, as no hub was running before. */
  from: number
  /** How its program ended or why it could not be started; null while it runs. */
  ended: string | null
  startedAt: number | null
  /** When its runner disconnected, or could first have connected. */
  leftAt: number
  isAdopted: boolean
  /** Why the last sandbox was removed. */
  why: string
  /** Its failure is counted already, although the sandbox may not be removed yet. */
  isCounted: boolean
}

export const noFailures: Failures = { count: 0, lastAt: 0, turns: 0, why: '', triedFor: 0 }

/** A fresh `KeptRun` from a stored row, or for a run without one. */
export function keptRun(row: Row | null, now: number, run = row?.run): KeptRun {
  const blank = { run: run!, id: null, host: null, generation: 0, state: 'starting', since: now } as const
  return {
    row: row ?? { ...blank, failures: noFailures },
    owner: null,
    times: new Map(),
    from: now,
    ended: null,
    startedAt: null,
    leftAt: now,
    isAdopted: false,
    why: '',
    isCounted: false,
  }
}

type KeeperCallbacks = { save: (row: Row) => Promise<void>; look: (run: RunId) => void }

/** The actions that the keeper decides on. Each can be interrupted at any point and repeated. */
export class Steps {
  readonly #parts: StepsParts
  readonly #callbacks: KeeperCallbacks

  constructor(parts: StepsParts, callbacks: KeeperCallbacks) {
    this.#parts = parts
    this.#callbacks = callbacks
  }

  /** What is known of a sandbox now; null if there is none. */
  known({ row, from, ended, leftAt }: KeptRun): KnownSandbox | null {
    if (row.id === null) return null
    const { readers, now } = this.#parts
    const isHeard = readers.hasRunner(row.run, row.generation)
    const heardAt = isHeard ? now() - readers.silentMs(row.run, row.generation) : leftAt
    const { generation, state } = row
    return { generation, state, since: Math.max(row.since, from), ended, heardAt, isHeard }
  }

  async provision(run: OwnedRun, one: KeptRun, view: RunView): Promise<void> {
    const { placement, now, log, secret } = this.#parts
    const id = `sbx_${randomName()}`
    const failures = {
      ...one.row.failures,
      triedFor: Math.max(one.row.failures.triedFor, eventNeedingSandbox(view) ?? 0),
    }
    const { generation } = one.row
    const begun = {
      run: run.id,
      id,
      host: null,
      generation,
      state: 'starting',
      since: now(),
      failures,
    } as const
    Object.assign(one, keptRun(begun, now()), { owner: run.owner })
    const lodging = await placement.find(run)
    if (!('host' in lodging)) {
      one.row.id = null
      return
    }
    one.row.host = lodging.host.kind
    try {
      await this.#callbacks.save(one.row)
      await this.#say(run.id, (now) => [
        ...(now.status === 'provisioning' ? [] : [status('provisioning')]),
        event('phase_start', { phase: 'provisioning', sandbox: id, host: lodging.host.kind }),
      ])
      if (lodging.warning !== null) await this.#warnOnce(run.id, lodging.host.kind, lodging.warning)
      if (lodging.lowered.length > 0) await this.#warnOnce(run.id, 'lowered', loweredWords(lodging.lowered))
      const grant = await beginGeneration(log, secret, run.id, { sandboxId: id, after: view.generation }, id)
      one.row.generation = grant.generation
      await this.#callbacks.save(one.row)
      void this.#start(one, lodging.host, async () => lodging.host.start(await lodging.spec(id, grant)))
    } catch (error) {
      one.ended = words(error)
    }
  }

  async #start(one: KeptRun, host: SandboxHost, start: () => Promise<void>): Promise<void> {
    const { id, run } = one.row
    try {
      await start()
      if (one.row.id === id) {
        one.startedAt = this.#parts.now()
        this.watch(one, host)
      }
    } catch (error) {
      if (one.row.id === id) one.ended = words(error)
    }
    // The sandbox was given up during its start: remove what came of it.
    if (one.row.id !== id) await this.#clear(host, id!)
    this.#callbacks.look(run)
  }

  /** Records that the sandbox was started, if that happened since the last call. */
  async noteStart(one: KeptRun): Promise<void> {
    if (one.row.state !== 'starting' || one.startedAt === null) return
    Object.assign(one.row, { state: 'started', since: one.startedAt })
    await this.#callbacks.save(one.row)
  }

  /** Waits in the background for the end of the sandbox, and then has its run checked. */
  watch(one: KeptRun, host: SandboxHost): void {
    const { id, run } = one.row
    host
      .ended(id!)
      .then(endInWords, words)
      .then((ended) => {
        if (one.row.id !== id) return
        one.ended = ended
        this.#callbacks.look(run)
      })
  }

  /** The runner has connected: that of this hub's sandbox, or one that the user started. */
  async welcome(run: RunId, { row, ...one }: KeptRun): Promise<void> {
    const ms = this.#parts.now() - one.from
    await this.#say(run, (view) =>
      isProvisioning(view)
        ? [
            ...(row.id === null ? [] : [event('phase_complete', { phase: 'provisioning', ms, ok: true })]),
            status('active'),
          ]
        : [],
    )
    if (row.id === null) return
    Object.assign(row, { state: 'working', since: this.#parts.now() })
    await this.#callbacks.save(row)
  }

  /** Removes the sandbox with everything in it. */
  async remove(
    run: RunId,
    one: KeptRun,
    { turns }: RunView,
    { why, isFailure }: Step & { do: 'remove' },
    terms: Terms,
  ): Promise<void> {
    const { row } = one
    const { placement, now } = this.#parts
    // Before the removal: after a crash the next hub must not count this failure again.
    if (isFailure && !one.isCounted) {
      one.isCounted = true
      row.failures = oneMore(row.failures, why, turns, now(), terms)
      await this.#callbacks.save(row)
    }
    const host = placement.hosts.find(({ kind }) => kind === row.host)
    await this.#clear(host, row.id!)
    await this.#say(run, (view) => {
      if (view.status === 'closed') return []
      const ms = now() - one.from
      if (row.state !== 'working' && isProvisioning(view))
        return [event('phase_complete', { phase: 'provisioning', ms, ok: false, error: why })]
      const message = `The sandbox is gone: ${why.replace(/\.?$/, '.')}`
      return isFailure ? [event('console', { level: 'warn', message })] : []
    })
    one.why = why
    one.ended = null
    row.id = null
    await this.#callbacks.save(row)
  }

  async #clear(host: SandboxHost | undefined, id: string): Promise<void> {
    await host?.remove(id)
    await this.#parts.placement.closeSockets(id)
  }

  async sleep(run: RunId, { why }: KeptRun): Promise<void> {
    // If an event came since the decision, nothing is logged, and the run is checked again.
    await this.#say(run, (view) =>
      eventNeedingSandbox(view) === null && isAwake(view) ? [status('asleep', why || undefined)] : [],
    )
  }

  async askRest(run: RunId): Promise<void> {
    await this.#say(run, (view) => (isBusy(view) ? [] : [event('rest_request', { reason: 'inactive' })]))
  }

  async queue(run: RunId, why: string): Promise<void> {
    await this.#say(run, (view) => (view.status === 'paused' ? [] : [status('queued', why)]))
  }

  /** Logs once why a run that was queued from its beginning still waits. */
  async tellNoRoom(run: RunId, why: string): Promise<void> {
    await this.#tellQueued(run, why, 'keeper/no-room')
  }

  async fail(run: RunId, one: KeptRun, view: RunView, why: string): Promise<void> {
    const { count } = one.row.failures
    const often = count > 1 ? `Its sandbox failed ${count} times in a row, at last because: ${why}` : why
    const reason = often.replace(/\.?$/, '.')
    const message = `${reason} Fix this, then send a message to try again.`
    await this.#say(run, () => [status('failed', reason), event('error', { message })])
    one.row.failures = {
      ...one.row.failures,
      triedFor: Math.max(one.row.failures.triedFor, eventNeedingSandbox(view) ?? 0),
    }
    await this.#callbacks.save(one.row)
  }

  /** Logs once what the user has to do before the run can have a sandbox. */
  async tellToWait(run: RunId, reason: string): Promise<void> {
    await this.#tellQueued(run, reason, 'keeper/waits')
  }

  async #tellQueued(run: RunId, reason: string, key: string): Promise<void> {
    await this.#parts.log.append(run, ({ view }) => ({
      by: { kind: 'hub' },
      ...(view.status === 'queued'
        ? { notifications: [status('queued', reason)], key: { key, body: 'told' } }
        : { notifications: [] }),
    }))
  }

  /** Logs a warning once for each kind: a run may get a weaker sandbox later than it had at first. */
  async #warnOnce(run: RunId, kind: string, message: string): Promise<void> {
    await this.#parts.log.append(run, ({ view }) => ({
      by: { kind: 'hub' },
      ...(view.closing || view.status === 'closed'
        ? { notifications: [] }
        : { notifications: [warning(message)], key: { key: `keeper/warns/${kind}`, body: 'told' } }),
    }))
  }

  /**
   * Nothing is logged for a run that is closed or closing, as the status `queued` would open it again. Nor for a run that has moved
   * to a device since the decision: there its own runner reports the status.
   */
  async #say(run: RunId, propose: (view: RunView) => Notification[]): Promise<void> {
    await this.#parts.log.append(run, ({ view }) => ({
      by: { kind: 'hub' },
      notifications: view.closing || view.status === 'closed' || view.place === 'none' ? [] : propose(view),
    }))
  }
}

const isProvisioning = ({ status, pausedFrom }: RunView) =>
  status === 'provisioning' || (status === 'paused' && pausedFrom === 'provisioning')

const status = (status: RunStatus, reason?: string) =>
  event('status', { status, ...(reason !== undefined && { reason }) })

const warning = (message: string) => event('console', { level: 'warn', message })

const loweredWords = (lowered: readonly string[]) =>
  `The operator of this hub allows less than this run asks for. ${lowered.join('; ')}.`

const words = (error: unknown) => (error instanceof Error ? error.message : String(error))

function endInWords({ code, signal, lastWords }: SandboxEnd): string {
  const how = signal
    ? `it was killed (${signal})`
    : `its program ended${code === null ? '' : ` with ${code}`}`
  const said = lastWords.trim().split('\n').slice(-3).join(' / ')
  return said ? `${how}, and said: ${said}` : how
}
