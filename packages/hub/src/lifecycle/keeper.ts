import type { RunView } from '@farhand/protocol/runs/run-view'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxHost } from '../sandboxes/sandbox-host.ts'
import { findRun, noteSandboxKind } from '../store/runs.ts'
import { forgetSandbox, listSandboxes, noteSandbox, runsToKeep } from '../store/sandboxes.ts'
import { Alarm } from './alarm.ts'
import { decide, eventNeedingSandbox, type Facts, isAwake, type Step, type Terms } from './decide.ts'
import { isWaitedFor, runsWithRoom, type Share } from './fair-share.ts'
import { monotonicTimes } from './monotonic-times.ts'
import { type KeptRun, keptRun, noFailures, type Row, Steps, type StepsParts } from './steps.ts'

export type KeeperParts = StepsParts & {
  /** The time limits of a run: its own, or the hub's defaults. */
  termsFor: (run: OwnedRun) => Terms
  /** The machine's clock, from which events get their time stamps; it may be changed. */
  wall: () => number
  mostSandboxes: number
  /** How many of them one user may hold now. */
  mostPerUser: () => Promise<number>
  /** How long a runner that the user started may be disconnected. */
  awayMs: number
  /** How long a sandbox may be idle while others wait for one. */
  crowdedMs: number
  onError: (error: unknown, run?: RunId) => void
}

const mostRemembered = 10_000
/** After this many steps in a row for one run something is wrong, and other runs get their turn. */
const mostSteps = 50
const againMs = 5_000

/**
 * Gives every run the sandbox that it needs, and removes the others. It checks a run when its log has grown, when its runner
 * connects or disconnects, when its sandbox ends, and at the next due time. Each action is recorded in the store before it is
 * done, so that a hub that starts after a crash continues there.
 */
export class Keeper {
  readonly #parts: KeeperParts
  readonly #steps: Steps
  readonly #alarm: Alarm<RunId>
  readonly #kept = new Map<RunId, KeptRun>()
  readonly #looking = new Map<RunId, { again: boolean; over: Promise<void> }>()
  /** Runs that wait for a free place, the longest waiting first. */
  readonly #line = new Map<RunId, UserId>()
  #perUser = 1
  /** The generations of runners in removed sandboxes: a connection of theirs that is still open does not count. */
  readonly #ownGenerations = new Map<RunId, number>()
  /** Null: the run works on a device, and this hub keeps no sandbox for it. */
  readonly #runs = new Map<RunId, OwnedRun | null>()
  /** When a runner that the user started was last connected: it may have lost its connection only briefly. */
  readonly #othersLeft = new Map<RunId, number>()
  readonly #stopListening: () => void
  #isUp = false
  #upSince = Number.NEGATIVE_INFINITY

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#alarm = new Alarm<RunId>((run) => this.look(run), parts.now)
    this.#steps = new Steps(parts, {
      save: (row) => noteSandbox(parts.db, row),
      look: (run) => this.look(run),
    })
    this.#stopListening = parts.log.onAnyGrowth((run) => this.look(run))
  }

  /** Takes over from the hub before: sandboxes that still run are adopted, the others removed. */
  async start(): Promise<void> {
    const rows = await listSandboxes<Row['failures']>(this.#parts.db)
    const now = this.#parts.now()
    // The hub before may have written these times under another clock.
    const lastAt = (failures: Row['failures']) => Math.min(failures.lastAt, now)
    for (const row of rows) {
      const failures = { ...row.failures, lastAt: lastAt(row.failures) }
      this.#kept.set(row.run, keptRun({ ...row, since: Math.min(row.since, now), failures }, now))
    }
    for (const host of this.#parts.placement.hosts) await this.#takeOver(host)
    for (const one of this.#kept.values()) {
      if (one.row.id === null || one.isAdopted) continue
      one.row.id = null
      await this.#try(() => noteSandbox(this.#parts.db, one.row))
    }
    const adopted = new Set([...this.#kept.values()].map(({ row }) => row.id ?? ''))
    await this.#try(() => this.#parts.placement.closeOtherSockets(adopted))
    this.#isUp = true
    this.#upSince = this.#parts.now()
    for (const run of this.#kept.keys()) this.look(run)
  }

  /** Checks every open run once, one after the other, for events from while no hub was running. */
  async lookAtAll(): Promise<void> {
    for (const run of await runsToKeep(this.#parts.db)) {
      this.look(run)
      await this.#looking.get(run)?.over
    }
  }

  /** Checks a run soon, as something may have happened. */
  look(run: RunId): void {
    if (!this.#isUp || this.#runs.get(run) === null) return
    const looking = this.#looking.get(run)
    if (looking) {
      looking.again = true
      return
    }
    const one = { again: false, over: Promise.resolve() }
    this.#looking.set(run, one)
    one.over = this.#checkRun(run)
      .catch((error) => {
        this.#parts.onError(error, run)
        this.#alarm.set(run, this.#parts.now() + againMs)
      })
      .finally(() => {
        this.#looking.delete(run)
        if (!one.again) return
        // The run may have been moved to this hub meanwhile.
        if (this.#runs.get(run) === null) this.#runs.delete(run)
        this.look(run)
      })
  }

  /** Whether this hub has a sandbox for a run. */
  has(run: RunId): boolean {
    return (this.#kept.get(run)?.row.id ?? null) !== null
  }

  /** How many sandboxes there are. */
  get count(): number {
    return [...this.#kept.values()].filter(({ row }) => row.id !== null).length
  }

  /** The user has moved a run (W46). A runner of that generation that is still connected no longer counts. */
  moved(run: RunId, generation: number): void {
    this.#runs.delete(run)
    this.#ownGenerations.set(run, generation)
    this.#othersLeft.delete(run)
    this.look(run)
  }

  runnerCame(run: RunId): void {
    if (this.#kept.has(run)) this.look(run)
  }

  runnerLeft(run: RunId): void {
    if (this.#runs.get(run) === null) return
    const one = this.#kept.get(run)
    if (one) one.leftAt = this.#parts.now()
    else this.#awaitReturn(run)
    this.look(run)
  }

  #awaitReturn(run: RunId): void {
    this.#othersLeft.set(run, this.#parts.now())
    setTimeout(() => this.look(run), this.#parts.awayMs + 1).unref()
  }

  /** Stops checking. The sandboxes keep running for the next hub. */
  async stop(): Promise<void> {
    this.#isUp = false
    this.#stopListening()
    this.#alarm.stop()
    await Promise.all([...this.#looking.values()].map(({ over }) => over))
  }

  async #takeOver(host: SandboxHost): Promise<void> {
    for (const { id, run, isRunning } of (await this.#try(() => host.list())) ?? []) {
      const one = this.#kept.get(run)
      const owned = one?.row.id === id ? await this.#runOf(run) : null
      // A sandbox that was still starting may lack its configuration: it is replaced.
      const isWanted = one && owned && isRunning && one.row.state !== 'starting'
      const reopenSockets = () => this.#parts.placement.reopenSockets(owned!, id, host)
      if (isWanted && (await this.#try(reopenSockets))) {
        one.isAdopted = true
        this.#steps.watch(one, host)
      } else await this.#try(() => host.remove(id))
    }
  }

  /** Trouble with one sandbox must not keep the hub from starting. */
  async #try<Result>(act: () => Promise<Result>): Promise<Result | null> {
    try {
      return await act()
    } catch (error) {
      this.#parts.onError(error)
      return null
    }
  }

  /** Performs the steps that `decide` gives for a run, until it says to wait. */
  async #checkRun(run: RunId): Promise<void> {
    const known = await this.#runOf(run)
    if (!known) return
    const one = this.#kept.get(run)
    if (one) one.owner = known.owner
    for (let steps = 0; steps < mostSteps && this.#isUp; steps++) {
      const { view } = await this.#parts.log.head(run)
      const owned = { ...known, sandbox: view.place ?? known.sandbox }
      if (owned.sandbox !== known.sandbox) await this.#noteKind(known, owned.sandbox!)
      if (owned.sandbox === 'none' && !this.has(run)) return await this.#letGo(run)
      const step = await this.#next(owned, view)
      if (!this.#isUp) return
      if (step.do === 'wait') return this.#rest(owned, view, step)
      await this.#do(owned, view, step)
    }
    this.#alarm.set(run, this.#parts.now() + againMs)
  }

  /** The hub may have been killed between moving the run and writing that to the store. */
  async #noteKind(known: OwnedRun, sandbox: string): Promise<void> {
    await noteSandboxKind(this.#parts.db, known.id, sandbox)
    known.sandbox = sandbox
  }

  /** Forgets a run that works on a device, until the user moves it. */
  async #letGo(run: RunId): Promise<void> {
    this.#runs.set(run, null)
    this.#alarm.set(run, null)
    if (this.#line.delete(run)) this.#nextInLine()
    if (this.#kept.delete(run)) await forgetSandbox(this.#parts.db, run)
  }

  async #next(run: OwnedRun, view: RunView): Promise<Step> {
    const one = this.#kept.get(run.id)
    if (one) await this.#steps.noteStart(one)
    const sandbox = one ? this.#steps.known(one) : null
    const wanted = sandbox ? null : eventNeedingSandbox(view)
    const lodging = wanted === null ? null : await this.#parts.placement.find(run)
    if (wanted !== null) this.#perUser = await this.#parts.mostPerUser()
    if (lodging && 'waits' in lodging) {
      await this.#steps.tellToWait(run.id, lodging.waits)
      return { do: 'wait', until: null }
    }
    const isOurs = one?.row.generation === view.generation
    // Right after a start, a runner that the user started may not have reconnected yet.
    const isNew = this.#parts.now() < this.#upSince + this.#parts.awayMs
    if (isNew && !isOurs && isAwake(view) && !this.#othersLeft.has(run.id)) this.#awaitReturn(run.id)
    const now = this.#parts.now()
    const { lastActivityAt, rest } = view
    const stamps = [lastActivityAt, rest?.askedAt, rest?.answeredAt]
    const times = monotonicTimes(one?.times ?? new Map(), stamps, this.#parts.wall(), now)
    if (one) one.times = times
    const facts: Facts = {
      now,
      timeOf: (stamp) => times.get(stamp) ?? now,
      view,
      sandbox,
      failures: one?.row.failures ?? noFailures,
      hasOtherRunner: !sandbox && this.#hasOtherRunner(run.id, view.generation),
      isOurs,
      impossible: lodging && 'impossible' in lodging ? lodging.impossible : null,
      hasRoom: this.#hasRoom(run),
    }
    const terms = this.#parts.termsFor(run)
    const isCrowded = isWaitedFor(run.owner, this.#waiting(), this.#held(), this.#share)
    const idleMs = isCrowded ? Math.min(terms.idleMs, this.#parts.crowdedMs) : terms.idleMs
    return decide(facts, { ...terms, idleMs })
  }

  #hasOtherRunner(run: RunId, generation: number): boolean {
    if (generation === 0 || generation === this.#ownGenerations.get(run)) return false
    if (this.#parts.readers.hasRunner(run, generation)) return true
    const backBy = (this.#othersLeft.get(run) ?? Number.NEGATIVE_INFINITY) + this.#parts.awayMs
    if (backBy > this.#parts.now()) return true
    this.#othersLeft.delete(run)
    return false
  }

  async #do(run: OwnedRun, view: RunView, step: Exclude<Step, { do: 'wait' }>): Promise<void> {
    const one = this.#kept.get(run.id) ?? keptRun(null, this.#parts.now(), run.id)
    switch (step.do) {
      case 'provision':
        // No `await` from this check until the place is taken: two runs may have seen the same free place.
        if (!this.#hasRoom(run)) return
        one.owner = run.owner
        this.#kept.set(run.id, one)
        this.#line.delete(run.id)
        return await this.#steps.provision(run, one, view)
      case 'remove':
        this.#ownGenerations.set(run.id, one.row.generation)
        await this.#steps.remove(run.id, one, view, step, this.#parts.termsFor(run))
        return this.#nextInLine()
      case 'fail':
        this.#kept.set(run.id, one)
        return await this.#steps.fail(run.id, one, view, step.why)
      case 'sleep':
        await this.#steps.sleep(run.id, one)
        return
      case 'welcome':
        return await this.#steps.welcome(run.id, one)
      case 'ask-rest':
        return await this.#steps.askRest(run.id)
      case 'queue':
        await this.#steps.queue(run.id, this.#noRoom(run))
        return this.#standInLine(run)
    }
  }

  async #rest(run: OwnedRun, view: RunView, { until, isInLine }: Step & { do: 'wait' }): Promise<void> {
    const one = this.#kept.get(run.id)
    if (!isInLine) {
      // The place that it was offered and did not take goes to the next run in line.
      if (this.#line.delete(run.id)) this.#nextInLine()
    } else if (!this.#line.has(run.id)) {
      this.#standInLine(run)
      await this.#steps.tellNoRoom(run.id, this.#noRoom(run))
    }
    this.#alarm.set(run.id, until)
    // Nothing is kept for a run that sleeps or is closed. Otherwise its failures are still needed.
    const isOver = view.status === 'asleep' || view.status === 'closed' || view.pausedFrom === 'asleep'
    if (!one || one.row.id !== null || !isOver) return
    this.#kept.delete(run.id)
    await forgetSandbox(this.#parts.db, run.id)
  }

  #standInLine({ id, owner }: OwnedRun): void {
    this.#line.set(id, owner)
    // Idle sandboxes are removed sooner while runs wait.
    for (const other of this.#kept.keys()) this.look(other)
  }

  get #share(): Share {
    return { most: this.#parts.mostSandboxes, perUser: this.#perUser }
  }

  #waiting() {
    return [...this.#line].map(([run, user]) => ({ run, user }))
  }

  /** How many sandboxes each user has, not counting that of one run. */
  #held(without?: RunId): Map<string, number> {
    const held = new Map<string, number>()
    for (const [run, { row, owner }] of this.#kept) {
      if (run === without || row.id === null) continue
      held.set(owner ?? '', (held.get(owner ?? '') ?? 0) + 1)
    }
    return held
  }

  #hasRoom({ id, owner }: Pick<OwnedRun, 'id' | 'owner'>): boolean {
    const line = this.#waiting()
    const waiting = this.#line.has(id) ? line : [...line, { run: id, user: owner }]
    return runsWithRoom(waiting, this.#held(id), this.#share).has(id)
  }

  /** Why the run has no sandbox yet, in words. */
  #noRoom({ owner }: OwnedRun): string {
    const { most, perUser } = this.#share
    const holds = this.#held().get(owner) ?? 0
    return holds >= perUser && perUser < most
      ? `you have ${counted(holds)}, which is your share of this hub's ${most}; the run waits until one of yours is free`
      : `this hub has ${counted(most)}, and no room for more; the run waits until there is`
  }

  #nextInLine(): void {
    for (const { run } of this.#waiting())
      if (this.#hasRoom({ id: run, owner: this.#line.get(run)! })) this.look(run)
  }

  /** Null if the run is not in the store, or if this hub keeps no sandbox for it. */
  async #runOf(run: RunId): Promise<OwnedRun | null> {
    const known = this.#runs.get(run)
    if (known !== undefined) return known
    const found = await findRun(this.#parts.db, { run })
    if (this.#runs.size >= mostRemembered) this.#runs.clear()
    // Not remembered if null: a log may grow before its run is in the store.
    if (found) this.#runs.set(run, found)
    return found
  }
}

const counted = (count: number) => (count === 1 ? 'one sandbox' : `${count} sandboxes`)
