import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { Notification } from '@farhand/protocol/wire/event'
import { type RunId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import type { Kysely } from 'kysely'
import type { Secret } from '../access/secret.ts'
import type { EventLog } from '../log/event-log.ts'
import type { LogReaders } from '../log/follow.ts'
import { beginGeneration } from '../runs/begin-generation.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxEnd, SandboxHost } from '../sandboxes/sandbox-host.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import type { Tables } from '../store/tables.ts'
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
  db: Kysely<Tables>
  log: EventLog
  secret: Secret
  readers: LogReaders
  placement: SandboxPlacement
  /** A clock that nobody sets. */
  now: () => number
}

export type Row = SandboxRow<Failures>

/** What is noted of the sandbox of a run, and what this process has seen of it. */
export type KeptRun = {
  row: Row
  /** When the events of its log that count were, by the clock of the keeper. */
  times: ReadonlyMap<string, number>
  /** Whose run it is; null until it was looked at. */
  owner: UserId | null
  /** From when its times count: no hub was there before. */
  from: number
  /** How its program ended, or why it could not be started. */
  ended: string | null
  startedAt: number | null
  /** When its runner stopped listening, or could have begun. */
  leftAt: number
  isAdopted: boolean
  /** Why there is no sandbox now. */
  why: string
  /** Its failure is counted, although it may not be gone yet. */
  isCounted: boolean
}

export const noFailures: Failures = { count: 0, lastAt: 0, turns: 0, why: '', triedFor: 0 }

/** What is kept of a run of which this is noted, or nothing yet. */
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

/** The deeds that a keeper decides on. Each can be cut short at any point, and done again. */
export class Steps {
  readonly #parts: StepsParts
  readonly #callbacks: KeeperCallbacks

  constructor(parts: StepsParts, callbacks: KeeperCallbacks) {
    this.#parts = parts
    this.#callbacks = callbacks
  }

  /** What can be seen of a sandbox now; null if there is none. */
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
    // It was given up meanwhile; what came of it afterwards belongs to nobody.
    if (one.row.id !== id) await this.#clear(host, id!)
    this.#callbacks.look(run)
  }

  /** Notes that the sandbox was started, if it was since this was last asked. */
  async noteStart(one: KeptRun): Promise<void> {
    if (one.row.state !== 'starting' || one.startedAt === null) return
    Object.assign(one.row, { state: 'started', since: one.startedAt })
    await this.#callbacks.save(one.row)
  }

  /** From here on it is known when the sandbox has ended. */
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

  /** The runner was heard: ours, or that of somebody else. */
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

  /** Removes the sandbox, whatever is in it. */
  async remove(
    run: RunId,
    one: KeptRun,
    { turns }: RunView,
    { why, isFailure }: Step & { do: 'remove' },
    terms: Terms,
  ): Promise<void> {
    const { row } = one
    const { placement, now } = this.#parts
    // Before it is gone: whoever comes after a crash must not take this for the first time.
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
    // Between the look and this something may have come: then nothing is said, and it is looked at again.
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

  /** Says once to a run that is queued from its beginning why it still is. */
  async tellNoRoom(run: RunId, why: string): Promise<void> {
    await this.#tellQueued(run, why, 'keeper/no-room')
  }

  async fail(run: RunId, one: KeptRun, view: RunView, why: string): Promise<void> {
    const { count } = one.row.failures
    const often = count > 1 ? `Its sandbox failed ${count} times in a row, at last because: ${why}` : why
    const reason = often.replace(/\.?$/, '.')
    const message = `${reason} When that is mended, say something to try again.`
    await this.#say(run, () => [status('failed', reason), event('error', { message })])
    one.row.failures = {
      ...one.row.failures,
      triedFor: Math.max(one.row.failures.triedFor, eventNeedingSandbox(view) ?? 0),
    }
    await this.#callbacks.save(one.row)
  }

  /** Says once what somebody has to do before there can be a sandbox. */
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

  /** Once for each kind of warning: a run may be lodged worse than it was before, by a hub that has nothing better any more. */
  async #warnOnce(run: RunId, kind: string, message: string): Promise<void> {
    await this.#parts.log.append(run, ({ view }) => ({
      by: { kind: 'hub' },
      ...(view.closing || view.status === 'closed'
        ? { notifications: [] }
        : { notifications: [warning(message)], key: { key: `keeper/warns/${kind}`, body: 'told' } }),
    }))
  }

  /**
   * Nothing is said to a run that is closed, or will be: that it is queued would open it again. Nor to one that has moved to a
   * device since it was decided what to do: there its runner says how it is.
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
