import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { NewSchedule, Occurrence } from '@farhand/protocol/schemas/schedules'
import type { RunId, ScheduleId } from '@farhand/protocol/wire/ids'
import { onTestFinished } from 'vitest'
import { addUser } from '../access/users.ts'
import { createProject } from '../store/projects.ts'
import { listOccurrences } from '../store/schedules/occurrences.ts'
import { createSchedule, type StoredSchedule, scheduleById } from '../store/schedules/schedules.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { Db } from '../store/tables.ts'
import { createTask } from '../store/tasks.ts'
import { nextDue } from './due-times.ts'
import { Scheduler, type SchedulerParts } from './scheduler.ts'
import { makeScheduledRun } from './start-run.ts'

export const noon = Date.parse('2026-06-01T12:00:00Z')
export const minuteMs = 60_000

/** Where a hub is killed: nothing of it happens after that. */
export type KillAt = 'refusal' | 'makeRun' | 'beginRun' | 'afterBegin'

/** A real store, a clock that the test sets, and logs of which only the fold is there. */
export class SchedulesUnderTest {
  readonly db: Db
  now = noon
  /** Null: no hub is killed. */
  kill: KillAt | null = null
  refusal: string | null = null
  /** The runs whose first events are stored, each as often as that was asked for. */
  readonly begun: RunId[] = []
  alarms = 0
  readonly errors: unknown[] = []
  readonly #views = new Map<RunId, RunView>()
  readonly #rings = new Set<(run: RunId) => void>()

  private constructor(db: Db) {
    this.db = db
  }

  static async open(): Promise<SchedulesUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'farhand-schedules-'))
    const store = await openSqliteStore(join(folder, 'store.sqlite'))
    onTestFinished(async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    })
    return new SchedulesUnderTest(store.db)
  }

  async schedule(said: Partial<NewSchedule> = {}): Promise<StoredSchedule> {
    const at = new Date(this.now)
    const { user } = await addUser(this.db, { name: `user ${Math.random()}`, role: 'member' }, at)
    const project = await createProject(this.db, user.id, { name: 'Garden' }, at)
    const task = await createTask(this.db, project.id, { title: 'Water it' }, at)
    const body: NewSchedule = {
      project: project.id,
      name: 'Water it',
      timing: { kind: 'every', seconds: 60 },
      run: { prompt: 'water' },
      ...said,
    }
    const nextDueAt = nextDue({ timing: body.timing, anchor: this.now }, this.now)
    const made = { owner: user.id, task: task.id, body, nextDueAt }
    return (await createSchedule(this.db, made, 100, at))!
  }

  /** More schedules like this one, of the same user. */
  async copies({ owner, task, project, timing, run, name, nextDueAt }: StoredSchedule, count: number) {
    const body: NewSchedule = { project, name, timing, run }
    const made: ScheduleId[] = []
    for (let n = 0; n < count; n++)
      made.push(
        (await createSchedule(this.db, { owner, task, body, nextDueAt }, 200, new Date(this.now)))!.id,
      )
    return made
  }

  /** A hub that has done all it could at once, and then does nothing more. */
  async round(times = 2): Promise<void> {
    const hub = this.hub()
    hub.start()
    for (let n = 0; n < times; n++) await hub.look()
    await hub.stop()
  }

  hub(more: Partial<SchedulerParts> = {}): Scheduler {
    let isDead = false
    const alive =
      <Given extends unknown[], Done>(at: KillAt, act: (...given: Given) => Promise<Done>) =>
      async (...given: Given): Promise<Done> => {
        if (this.kill === at) isDead = true
        if (isDead) throw new Error('killed')
        return await act(...given)
      }
    return new Scheduler({
      db: this.db,
      log: {
        head: async (run) => ({
          lastId: 1,
          bytes: 0,
          view: this.#views.get(run) ?? emptyRunView,
          runnerSeq: null,
        }),
        onAnyGrowth: (ring) => {
          this.#rings.add(ring)
          return () => this.#rings.delete(ring)
        },
      },
      now: () => this.now,
      refusal: alive('refusal', async () => this.refusal),
      makeRun: alive('makeRun', (schedule, of, claim) =>
        makeScheduledRun(this.db, schedule, of, claim, new Date(this.now)),
      ),
      beginRun: alive('beginRun', async (_, run) => {
        this.begun.push(run)
        if (this.kill === 'afterBegin') isDead = true
        if (isDead) throw new Error('killed')
      }),
      onAlarm: () => {
        this.alarms += 1
      },
      onError: (error) => this.errors.push(error),
      ...more,
    })
  }

  end(run: RunId, stopReason = 'end_turn'): void {
    this.#views.set(run, { ...emptyRunView, status: 'active', turns: 1, stopReason })
    for (const ring of this.#rings) ring(run)
  }

  /** The ledger, the earliest first. */
  async ledger({ id }: Pick<StoredSchedule, 'id'>): Promise<Occurrence[]> {
    return (await listOccurrences(this.db, id, { limit: 10_000 })).items.reverse()
  }

  async states(schedule: StoredSchedule): Promise<string[]> {
    return (await this.ledger(schedule)).map(({ state }) => state)
  }

  async again({ id }: StoredSchedule): Promise<StoredSchedule> {
    return (await scheduleById(this.db, id))!
  }

  async runs(): Promise<number> {
    return (await this.db.selectFrom('runs').select('id').execute()).length
  }
}
