import type { Occurrence } from '@farhand/protocol/schemas/schedules'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRun } from '../runs.ts'
import type { Store } from '../sqlite-store.ts'
import { aRun, later, noon } from '../store.contract.ts'
import type { Db } from '../tables.ts'
import {
  addDueNow,
  claim,
  endOccurrence,
  type Lease,
  listOccurrences,
  noteStarted,
  waitingOccurrences,
  writeLines,
} from './occurrences.ts'
import {
  createSchedule,
  findSchedule,
  removeSchedule,
  type StoredSchedule,
  schedulesDue,
} from './schedules.ts'

const minuteMs = 60_000
const due = noon.getTime() + minuteMs
const lease: Lease = { from: noon, to: later(1000) }
const line = (dueAt: number) => ({
  dueAt,
  firstDueAt: dueAt,
  standsFor: 1,
  state: 'due' as const,
  reason: null,
})

/** What the ledger of schedules must do, whichever database is behind it. */
export function schedulesContract(open: () => Promise<Store>): void {
  let store: Store
  let db: Db
  let schedule: StoredSchedule
  let there: Awaited<ReturnType<typeof aRun>>
  beforeAll(async () => {
    store = await open()
    db = store.db
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    there = await aRun(db)
    const { user, task, project } = there
    const timing = { kind: 'every' as const, seconds: 60 }
    const body = { project: project.id, name: 'Water it', timing, run: { prompt: 'water' } }
    const made = { owner: user.id, task: task.id, body, nextDueAt: due }
    schedule = (await createSchedule(db, made, 2, noon))!
  })
  const ledger = async () => (await listOccurrences(db, schedule.id, { limit: 50 })).items
  const waiting = async () =>
    (await waitingOccurrences(db, lease)).filter((of) => of.schedule === schedule.id)
  const first = async (): Promise<Occurrence> => {
    await writeLines(db, schedule, [line(due)], due + minuteMs, later(60))
    return (await ledger())[0]!
  }

  describe('the ledger of a schedule', () => {
    it('W94 gets a due time once, though several hubs write it at the same moment', async () => {
      const write = () => writeLines(db, schedule, [line(due)], due + minuteMs, later(60))
      const written = await Promise.all([write(), write(), write()])
      expect(written.filter(Boolean)).toHaveLength(1)
      expect(await ledger()).toMatchObject([{ state: 'due', dueAt: new Date(due).toISOString() }])
    })

    it('W94 gives an occurrence to one of several that claim it, and to another one when the lease is over', async () => {
      const of = await first()
      const take = (name: string, lease: Lease, at: Date) => claim(db, of, { name, working: 0, lease }, at)
      const taken = await Promise.all(['a', 'b', 'c'].map((name) => take(name, lease, later(60))))
      expect(taken.filter(Boolean)).toHaveLength(1)
      expect(await waiting()).toEqual([])
      const over: Lease = { from: later(61), to: later(1000) }
      expect(await take('d', over, later(120))).toBe(true)
      const run = await createRun(db, { project: there.project.id, task: there.task.id }, {}, noon)
      const about = { run: run.id, title: 'Water it' }
      for (const name of ['a', 'b', 'c'])
        expect(await noteStarted(db, of, name, about, later(121))).toBe(false)
      expect(await noteStarted(db, of, 'd', about, later(121))).toBe(true)
      expect(await ledger()).toMatchObject([{ state: 'started', run: run.id }])
    })

    it('W98 gives up a claim from the future, as the clock was set back', async () => {
      const of = await first()
      await claim(db, of, { name: 'a', working: 0, lease }, later(100_000))
      expect(await waiting()).toMatchObject([{ id: of.id }])
    })

    it('W94 ends an occurrence once', async () => {
      const of = await first()
      const end = () => endOccurrence(db, of, { state: 'skipped', reason: 'No.', from: 'due' }, later(60))
      expect(await Promise.all([end(), end()])).toEqual(expect.arrayContaining([true, false]))
      expect(await ledger()).toMatchObject([{ state: 'skipped', reason: 'No.' }])
    })

    it('W94 keeps a thousand ended lines, and all that have not ended', async () => {
      const open = await first()
      let next = (await findSchedule(db, there.user.id, schedule.id))!
      const missed = Array.from({ length: 1002 }, (_, n) => ({
        ...line(due + (n + 1) * minuteMs),
        state: 'missed' as const,
      }))
      await writeLines(db, next, missed, due + 2000 * minuteMs, later(60))
      next = (await findSchedule(db, there.user.id, schedule.id))!
      await writeLines(db, next, [], due + 2000 * minuteMs, later(60))
      const all = await listOccurrences(db, schedule.id, { limit: 5000 })
      expect(all.items).toHaveLength(1001)
      expect(all.items.at(-1)).toMatchObject({ id: open.id, state: 'due' })
      const page = await listOccurrences(db, schedule.id, { limit: 600 })
      const rest = await listOccurrences(db, schedule.id, { limit: 600, cursor: page.next! })
      expect([...page.items, ...rest.items]).toEqual(all.items)
    })

    it('W94 keeps a thousand ended lines, though its user makes each of them', async () => {
      const missed = Array.from({ length: 1000 }, (_, n) => ({ ...line(due + n), state: 'missed' as const }))
      await writeLines(db, schedule, missed, due + minuteMs, later(60))
      for (let n = 0; n < 5; n++) {
        const of = (await addDueNow(db, schedule.id, 2, later(1000 + n)))!
        await endOccurrence(db, of, { state: 'skipped', reason: 'No.', from: 'due' }, later(1000 + n))
      }
      const all = await listOccurrences(db, schedule.id, { limit: 5000 })
      expect(all.items).toHaveLength(1001)
    })

    it('W99 lets only so many wait', async () => {
      const made = [await addDueNow(db, schedule.id, 2, noon), await addDueNow(db, schedule.id, 2, noon)]
      expect(new Set(made.map((of) => of?.dueAt)).size).toBe(2)
      expect(await addDueNow(db, schedule.id, 2, noon)).toBeNull()
    })
  })

  describe('schedules', () => {
    it('W99 are at most so many a user, and a deleted one makes room and is due no more', async () => {
      const { user, task, project } = there
      const body = { project: project.id, name: 'More', timing: schedule.timing, run: { prompt: 'water' } }
      const make = () => createSchedule(db, { owner: user.id, task: task.id, body, nextDueAt: due }, 2, noon)
      expect(await make()).not.toBeNull()
      expect(await make()).toBeNull()
      await removeSchedule(db, schedule.id, noon)
      expect(await findSchedule(db, user.id, schedule.id)).toBeNull()
      expect(await make()).not.toBeNull()
      const isDue = (await schedulesDue(db, later(3600), 1000)).map(({ id }) => id)
      expect(isDue).not.toContain(schedule.id)
    })
  })
}
