import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Author, Notification, StoredEvent } from '@farhand/protocol/wire/event'
import { newId, type ProjectId, type RunId, type TaskId, UserId } from '@farhand/protocol/wire/ids'
import { onTestFinished, vi } from 'vitest'
import { openSecret, type Secret } from '../access/secret.ts'
import type { EventLog } from '../log/event-log.ts'
import { openFileEventLog } from '../log/file-event-log.ts'
import { LogReaders, type Outlet, type Reader } from '../log/follow.ts'
import { decodeLine } from '../log/stored-line.ts'
import { beginGeneration } from '../runs/begin-generation.ts'
import { Closer } from '../runs/closer.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import { createProject } from '../store/projects.ts'
import { createRun, findRun } from '../store/runs.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { Db } from '../store/tables.ts'
import { createTask } from '../store/tasks.ts'
import type { Terms } from './decide.ts'
import { Keeper } from './keeper.ts'
import { Mortal } from './mortal-under-test.ts'
import { PretendedPlacement } from './pretended-placement-under-test.ts'
import { generationOf, PretendedSandboxes } from './pretended-sandboxes-under-test.ts'

type TaskAddress = { project: ProjectId; task: TaskId }

const silentOutlet: Outlet = { write: () => true, live() {}, end() {}, fenced() {}, fail() {} }

/** What no test waits for takes longer than any machine is slow. */
export const quick: Terms = {
  provisionMs: 60_000,
  startMs: 60_000,
  silentMs: 60_000,
  idleMs: 30,
  restMs: 60_000,
  askAgainMs: 10,
  mostFailures: 3,
  failuresWithinMs: 60_000,
  retryMs: 1,
}

/** A store, logs and pretended sandboxes, which outlive the keepers that are made on them. */
export class KeptWorld {
  readonly db: Db
  readonly log: EventLog
  /** The clock of the machine, which can be set. */
  readonly clock: { wall: () => number }
  readonly host = new PretendedSandboxes()
  /** The sandboxes that have open sockets. */
  readonly sockets = new Set<string>()
  readonly errors: unknown[] = []
  readonly #secret: Secret
  readonly #task: TaskAddress
  readonly #others = new Map<string, TaskAddress>()
  terms: Terms = quick
  most = 10
  perUser: number | null = null
  warning: string | null = null
  away = 20
  /** What the runner in a sandbox does when its log has grown; by default what a good one does. */
  runner: (world: KeptWorld, run: RunId, generation: number) => Promise<void> = goodRunner
  /** Why there is none for a run, if so. */
  lodging: (run: OwnedRun) => { waits: string } | { impossible: string } | null = () => null
  /** Whether the runner of a generation finds its way to the hub. */
  comes: (generation: number) => boolean = () => true
  keeper!: Keeper
  closer!: Closer
  readers!: LogReaders
  readonly #listening = new Map<string, { generation: number; run: RunId; reader: Reader | null }>()

  private constructor(
    db: Db,
    log: EventLog,
    clock: { wall: () => number },
    secret: Secret,
    task: TaskAddress,
  ) {
    this.clock = clock
    this.db = db
    this.log = log
    this.#secret = secret
    this.#task = task
    this.host.onStart = (spec) => {
      this.#listening.set(spec.id, { generation: generationOf(spec), run: spec.run, reader: null })
      void this.host.ended(spec.id).then(() => this.#leave(spec.id))
      this.#listen(spec.id)
    }
    log.onAnyGrowth((run) => {
      for (const one of this.#listening.values())
        if (one.run === run) void this.runner(this, run, one.generation).catch(() => {})
    })
  }

  static async make(): Promise<KeptWorld> {
    const dir = await mkdtemp(join(tmpdir(), 'farhand-keeper-'))
    const { db, close } = await openSqliteStore(join(dir, 'store.sqlite'))
    const clock = { wall: Date.now }
    const log = await openFileEventLog({ dir: join(dir, 'logs'), now: () => clock.wall() })
    const world = new KeptWorld(db, log, clock, await openSecret(dir), await taskOfUser(db, 'ada'))
    onTestFinished(async () => {
      world.closer?.stop()
      await world.keeper?.stop()
      await log.close()
      await close()
      await rm(dir, { recursive: true })
    })
    return world
  }

  /** A hub begins, with all that the one before has left. */
  async begin(mortal = new Mortal(null)): Promise<void> {
    const { db, log, host, errors } = this
    const mortalHost = new Proxy(host, {
      get: (target, name) => {
        const value = target[name as keyof PretendedSandboxes]
        return name === 'start' || name === 'remove'
          ? mortal.wrap((value as () => Promise<void>).bind(target))
          : value
      },
    })
    const placement = new PretendedPlacement(
      mortalHost,
      this.sockets,
      (run) => this.lodging(run),
      () => this.warning,
    )
    this.readers = new LogReaders(log, {
      came: (run) => this.keeper?.runnerCame(run),
      left: (run) => {
        this.keeper?.runnerLeft(run)
        this.closer?.runnerLeft(run)
      },
    })
    const mortalLog = new Proxy(log, {
      get: (target, name) => {
        const value = target[name as keyof EventLog]
        return name === 'append' ? mortal.wrap(target.append) : value
      },
    })
    this.closer = new Closer({
      db,
      log,
      readers: this.readers,
      graceMs: 60_000,
      awayMs: 10,
      onError: (e) => errors.push(e),
    })
    this.keeper = new Keeper({
      db,
      log: mortalLog,
      secret: this.#secret,
      readers: this.readers,
      placement,
      now: Date.now,
      wall: () => this.clock.wall(),
      termsFor: () => this.terms,
      mostSandboxes: this.most,
      mostPerUser: async () => this.perUser ?? this.most,
      crowdedMs: 10,
      awayMs: this.away,
      onError: (error) => errors.push(error),
    })
    const isUp = this.keeper.start().then(() => this.keeper.lookAtAll())
    await Promise.race([isUp, mortal.death])
    // Runners find their way back by themselves.
    for (const id of this.#listening.keys()) this.#listen(id)
    void this.closer.start()
  }

  async run(asked: { sandbox?: string } = {}, task = this.#task): Promise<RunId> {
    const { id } = await createRun(this.db, task, { agent: 'a', ...asked }, new Date())
    return id
  }

  /** A run of another user. */
  async runOf(user: string): Promise<RunId> {
    const task = this.#others.get(user) ?? (await taskOfUser(this.db, user))
    this.#others.set(user, task)
    return this.run({}, task)
  }

  async say(
    run: RunId,
    method: string,
    params: object = {},
    by: Author = { kind: 'web', id: 'usr_test' },
  ): Promise<number> {
    const notification = { jsonrpc: '2.0', method, params } as Notification
    return (await this.log.append(run, () => ({ by, notifications: [notification] }))).lastEventId
  }

  /** A runner that the user started, which listens and does nothing. */
  async bringRunner(run: RunId): Promise<Reader> {
    const { generation } = await beginGeneration(this.log, this.#secret, run, {}, undefined)
    return this.readers.follow(run, 0, silentOutlet, generation)
  }

  async close(run: RunId): Promise<void> {
    const owned = await findRun(this.db, { run })
    await this.closer.close(owned!, () => this.say(run, '_posthog/close'))
  }

  async view(run: RunId) {
    return (await this.log.head(run)).view
  }

  /** Resolves when the run is said to be so. */
  async until(run: RunId, status: string): Promise<void> {
    await vi.waitFor(
      async () => {
        if ((await this.view(run)).status !== status) throw new Error(`${(await this.told(run)).join('\n')}`)
      },
      { interval: 2, timeout: 60_000 },
    )
  }

  async events(run: RunId): Promise<StoredEvent[]> {
    const chunk = await this.log.read(run, 0, 1 << 20)
    const lines = chunk?.bytes.toString().trim().split('\n') ?? []
    return lines.map((line) => decodeLine(line)!)
  }

  /** What the log says, a few words for each event. */
  async told(run: RunId): Promise<string[]> {
    return (await this.events(run)).map(({ notification: { method, params = {} } }) =>
      [method.replace('_posthog/', ''), params.status ?? params.phase, params.ok, params.rests]
        .filter((word) => word !== undefined)
        .join(' '),
    )
  }

  sandboxOf(run: RunId): string | undefined {
    return [...this.host.all].find(([, one]) => one.run === run && one.end === null)?.[0]
  }

  #listen(id: string): void {
    const one = this.#listening.get(id)!
    if (!this.comes(one.generation)) return
    one.reader = this.readers.follow(one.run, 0, silentOutlet, one.generation)
    void this.runner(this, one.run, one.generation).catch(() => {})
  }

  #leave(id: string): void {
    this.#listening.get(id)?.reader?.stop()
    this.#listening.delete(id)
  }
}

async function taskOfUser(db: Db, name: string): Promise<TaskAddress> {
  const id = newId(UserId, 'usr')
  await db.insertInto('users').values({ id, name, role: 'owner', created_at: '' }).execute()
  const project = await createProject(db, id, { name: 'p' }, new Date())
  const task = await createTask(db, project.id, { title: 't' }, new Date())
  return { project: project.id, task: task.id }
}

/** Works on messages, rests when it is asked, and ends when its run is closed. */
export async function goodRunner(world: KeptWorld, run: RunId, generation: number): Promise<void> {
  if ((await world.view(run)).closing) return await world.closer.runnerDone(run, generation)
  await world.log.append(run, ({ view }) => {
    const by = { kind: 'runner', generation } as const
    const say = (method: string, params: object) => ({
      by,
      notifications: [{ jsonrpc: '2.0', method, params } as Notification],
    })
    if (view.generation !== generation || view.status === 'closed' || view.rest?.rests)
      return { by, notifications: [] }
    const open = view.openTurns[0]
    if (open) return say('_posthog/turn_complete', { messageId: open.messageId, stopReason: 'end_turn' })
    const next = view.unacked[0]?.[0]
    if (next !== undefined) return say('_posthog/ack', { for: 'user_message', id: next })
    if (view.rest && view.rest.rests === null)
      return say('_posthog/rest_answer', { for: view.rest.request, rests: true })
    return { by, notifications: [] }
  })
}
