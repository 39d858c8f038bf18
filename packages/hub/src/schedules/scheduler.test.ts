import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { alarmsToSend } from '../store/schedules/pending-alarms.ts'
import { changeSchedule, removeSchedule, type StoredSchedule } from '../store/schedules/schedules.ts'
import { nextDue } from './due-times.ts'
import { type KillAt, minuteMs, noon, SchedulesUnderTest } from './schedules-under-test.ts'

const leaseOver = minuteMs
const hourMs = 60 * minuteMs
const inOneHour = { timing: { kind: 'every' as const, seconds: 3600 } }

describe('a schedule', { timeout: 120_000 }, () => {
  it('W94 starts a run when it is due and not before, and the ledger has it until the log says that it has ended', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    await there.round()
    expect(await there.states(schedule)).toEqual([])
    there.now += hourMs
    await there.round()
    const [of] = await there.ledger(schedule)
    expect(of).toMatchObject({
      state: 'started',
      run: there.begun[0],
      dueAt: new Date(noon + hourMs).toISOString(),
    })
    there.end(of!.run!)
    await there.round()
    expect(await there.ledger(schedule)).toMatchObject([{ state: 'finished', reason: null, run: of!.run }])
    expect(await there.again(schedule)).toMatchObject({ runs: 1, failures: 0, nextDueAt: noon + 2 * hourMs })
  })

  it('W94 starts one run though two hubs find it due at the same moment', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule()
    there.now += minuteMs
    const hubs = [there.hub(), there.hub(), there.hub()]
    for (const hub of hubs) hub.start()
    await Promise.all(hubs.map((hub) => hub.look()))
    await Promise.all(hubs.map((hub) => hub.stop()))
    await there.round()
    expect(await there.runs()).toBe(1)
    expect(await there.states(schedule)).toEqual(['started'])
  })

  it.each<KillAt>(['refusal', 'makeRun', 'beginRun', 'afterBegin'])(
    'W94 starts one run though a hub is killed at %s',
    async (kill) => {
      const there = await SchedulesUnderTest.open()
      const schedule = await there.schedule(inOneHour)
      there.now += hourMs
      there.kill = kill
      await there.round()
      there.kill = null
      there.now += leaseOver
      await there.round()
      const [of, ...others] = await there.ledger(schedule)
      expect(of).toMatchObject({ state: 'started' })
      expect(others).toEqual([])
      expect(await there.runs()).toBe(1)
      expect(new Set(there.begun)).toEqual(new Set([of!.run]))
    },
  )

  it('W94 is not started a second time by a hub that was stopped in between and goes on after its lease', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    there.now += hourMs
    let goOn = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slow = there.hub({ refusal: () => stalled.then(() => null) })
    slow.start()
    await expect.poll(() => there.states(schedule), { timeout: 60_000 }).toEqual(['claimed'])
    there.now += leaseOver
    await there.round()
    goOn()
    await slow.look()
    await slow.stop()
    expect(await there.runs()).toBe(1)
    expect(await there.states(schedule)).toEqual(['started'])
  })

  it('W93 skips, queues or starts beside a run that is at work', async () => {
    const there = await SchedulesUnderTest.open()
    const [skip, queue, allow] = [
      await there.schedule({ overlap: 'skip' }),
      await there.schedule({ overlap: 'queue' }),
      await there.schedule({ overlap: 'allow' }),
    ]
    for (let n = 0; n < 2; n++) {
      there.now += minuteMs
      await there.round()
    }
    expect(await there.states(skip)).toEqual(['started', 'skipped'])
    expect(await there.states(queue)).toEqual(['started', 'due'])
    expect(await there.states(allow)).toEqual(['started', 'started'])
    there.end((await there.ledger(queue))[0]!.run!)
    await there.round()
    expect(await there.states(queue)).toEqual(['finished', 'started'])
  })

  it('W98 is not started again when the clock is set back', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule({ overlap: 'allow' })
    there.now = noon + 3 * minuteMs
    await there.round()
    there.now = noon
    for (let n = 0; n < 4; n++) {
      await there.round()
      there.now += minuteMs
    }
    expect(await there.runs()).toBe(1)
    await there.round()
    expect(await there.runs()).toBe(2)
    expect((await there.ledger(schedule)).map(({ standsFor }) => standsFor)).toEqual([3, 1])
  })

  it('W98 starts one run when the clock jumps ahead by a year, and goes on at the right time when that is mended', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule({ overlap: 'allow' })
    there.now = noon + 365 * 24 * hourMs
    await there.round()
    expect(await there.runs()).toBe(1)
    there.now = noon + minuteMs
    await there.round()
    expect(await there.runs()).toBe(1)
    there.now += minuteMs
    await there.round()
    expect(await there.runs()).toBe(2)
    expect((await there.again(schedule)).nextDueAt).toBe(noon + 3 * minuteMs)
  })

  it('W98 is started beside a hundred whose next due time is in the year 10000, and these end', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    const far = await there.copies(schedule, 100)
    await there.db
      .updateTable('schedules')
      .set({ next_due_at: '+010000-01-01T11:59:59.000Z' })
      .where('id', 'in', far)
      .execute()
    there.now += hourMs
    const hub = there.hub()
    hub.start()
    await hub.look()
    await hub.look()
    await hub.stop()
    expect(await there.states(schedule)).toEqual(['started'])
    expect((await there.again({ ...schedule, id: far[0]! })).nextDueAt).toBeNull()
  })

  it('W98 is started beside a hundred earlier ones that cannot be counted, and these are left alone for seconds', async () => {
    const there = await SchedulesUnderTest.open()
    const broken = await there.schedule()
    const all = [broken.id, ...(await there.copies(broken, 99))]
    const timing = JSON.stringify({ kind: 'cron', cron: '0 9 * * *', zone: 'Mars/Olympus' })
    await there.db.updateTable('schedules').set({ timing }).where('id', 'in', all).execute()
    const schedule = await there.schedule(inOneHour)
    there.now += hourMs
    let rounds = 0
    const hub = there.hub({
      onAlarm: () => {
        rounds += 1
      },
    })
    hub.start()
    await expect.poll(() => there.states(schedule), { timeout: 60_000 }).toEqual(['started'])
    await hub.stop()
    expect(there.errors.length).toBe(100)
    expect(rounds).toBeLessThanOrEqual(3)
  })

  it('W95 is started while those of another user are checked for long', async () => {
    const there = await SchedulesUnderTest.open()
    const slow = await there.schedule(inOneHour)
    there.now += 1000
    const other = await there.schedule(inOneHour)
    there.now += hourMs
    let goOn = () => {}
    const stalled = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const hub = there.hub({
      refusal: ({ id }) => (id === slow.id ? stalled.then(() => null) : Promise.resolve(null)),
    })
    hub.start()
    await expect.poll(() => there.states(other), { timeout: 60_000 }).toEqual(['started'])
    expect(await there.states(slow)).toEqual(['claimed'])
    goOn()
    await hub.stop()
    expect(await there.states(slow)).toEqual(['started'])
  })

  it.each<[string, string, (there: SchedulesUnderTest, of: StoredSchedule) => Promise<unknown>]>([
    ['deleted', 'skipped', ({ db, now }, { id }) => removeSchedule(db, id, new Date(now))],
    [
      'paused',
      'skipped',
      ({ db, now }, { id }) => changeSchedule(db, id, { isPaused: true }, null, new Date(now)),
    ],
    [
      'given another prompt',
      'started',
      ({ db, now }, { id }) => changeSchedule(db, id, { run: { prompt: 'dig' } }, null, new Date(now + 1)),
    ],
  ])('W95 that is %s while it is checked is looked at again, and then it is %s', async (_, state, change) => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    there.now += hourMs
    const prompts: string[] = []
    const hub = there.hub({
      refusal: async () => {
        if (prompts.length === 0) await change(there, schedule)
        prompts.push('')
        return null
      },
      beginRun: async ({ run }) => {
        prompts.push(run.prompt)
      },
    })
    hub.start()
    await expect.poll(() => there.states(schedule), { timeout: 60_000 }).toEqual([state])
    await hub.stop()
    expect(await there.runs()).toBe(state === 'started' ? 1 : 0)
    expect(prompts).not.toContain('water')
  })

  it('W95 makes no run for a user who is locked out while it is checked', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    there.now += hourMs
    let isLocked = false
    const hub = there.hub({
      refusal: async () => {
        if (isLocked) return 'Its user may not use this hub any more.'
        await there.db
          .updateTable('tokens')
          .set({ revoked_at: new Date(there.now).toISOString() })
          .execute()
        isLocked = true
        return null
      },
    })
    hub.start()
    await expect.poll(() => there.states(schedule), { timeout: 60_000 }).toEqual(['failed'])
    await hub.stop()
    expect(await there.runs()).toBe(0)
  })

  it('W97 pauses itself after so many failures in a row, and its owner is notified', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule({ pauseAfter: 2 })
    const ends = ['refusal', 'end_turn', 'refusal', 'failed', 'end_turn']
    for (const stopReason of ends) {
      there.now += minuteMs
      await there.round()
      const last = (await there.ledger(schedule)).at(-1)
      if (last?.state === 'started') there.end(last.run!, stopReason)
      await there.round()
    }
    expect(await there.states(schedule)).toEqual(['failed', 'finished', 'failed', 'failed'])
    expect(await there.again(schedule)).toMatchObject({ paused: 'failures', failures: 2 })
    expect(await alarmsToSend(there.db)).toMatchObject([{ alarm: 'paused' }])
    await changeSchedule(
      there.db,
      schedule.id,
      { isPaused: false },
      { nextDueAt: there.now + minuteMs },
      new Date(there.now),
    )
    there.now += minuteMs
    await there.round()
    expect(await there.states(schedule)).toEqual(['failed', 'finished', 'failed', 'failed', 'started'])
  })

  it('W95 whose user may not start it any more fails with the reason, and makes no run', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule()
    there.refusal = 'Its user may not use this hub any more.'
    there.now += minuteMs
    await there.round()
    expect(await there.ledger(schedule)).toMatchObject([
      { state: 'failed', reason: there.refusal, run: null },
    ])
    expect(await there.runs()).toBe(0)
    expect(await alarmsToSend(there.db)).toMatchObject([{ alarm: 'missed' }])
  })

  it('W96 starts no more than it may, and has ended then', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule({ maxRuns: 2, overlap: 'allow' })
    for (let n = 0; n < 4; n++) {
      there.now += minuteMs
      await there.round()
    }
    expect(await there.runs()).toBe(2)
    expect((await there.again(schedule)).nextDueAt).toBeNull()
  })

  it('W98 is only delayed by a hub that cannot write', async () => {
    const there = await SchedulesUnderTest.open()
    const schedule = await there.schedule(inOneHour)
    there.now += hourMs
    const full = there.hub({ makeRun: () => Promise.reject(new Error('the disk is full')) })
    full.start()
    await full.look()
    await full.stop()
    expect(await there.states(schedule)).toEqual(['claimed'])
    there.now += leaseOver
    await there.round()
    expect(await there.states(schedule)).toEqual(['started'])
  })

  it('W94 accounts for each due time once and starts each due run once, whatever is killed and for however long', async () => {
    const step = fc.record({
      ms: fc.oneof(fc.integer({ min: 1, max: 3 * minuteMs }), fc.integer({ min: 1, max: 5 * hourMs })),
      kill: fc.constantFrom<KillAt | null>(null, null, 'refusal', 'makeRun', 'beginRun', 'afterBegin'),
    })
    const policies = fc.record({
      catchUp: fc.constantFrom('skip' as const, 'latest' as const, 'all' as const),
      overlap: fc.constantFrom('queue' as const, 'allow' as const),
      seconds: fc.integer({ min: 60, max: 7200 }),
    })
    const there = await SchedulesUnderTest.open()
    await fc.assert(
      fc.asyncProperty(policies, fc.array(step, { minLength: 1, maxLength: 5 }), async (said, steps) => {
        const { catchUp, overlap, seconds } = said
        const schedule = await there.schedule({ catchUp, overlap, timing: { kind: 'every', seconds } })
        const since = there.now
        for (const { ms, kill } of steps) {
          there.now += ms
          there.kill = kill
          await there.round()
          for (const { run, state } of await there.ledger(schedule)) if (state === 'started') there.end(run!)
        }
        there.kill = null
        for (let n = 0; n < 3; n++) {
          there.now += leaseOver
          await there.round()
          for (const { run, state } of await there.ledger(schedule)) if (state === 'started') there.end(run!)
        }
        await there.round()
        const of = { timing: schedule.timing, anchor: since }
        let due = nextDue(of, since)
        for (const line of await there.ledger(schedule)) {
          expect(Date.parse(line.firstDueAt)).toBe(due)
          due = nextDue(of, Date.parse(line.dueAt))
          const isOpen = ['due', 'claimed', 'started'].includes(line.state)
          if (!isOpen) expect(line.run !== null).toBe(line.state === 'finished')
        }
        expect((await there.again(schedule)).nextDueAt).toBe(due)
        const ledger = await there.ledger(schedule)
        const runs = ledger.flatMap(({ run }) => run ?? [])
        expect(new Set(runs).size).toBe(runs.length)
        const made = await there.db
          .selectFrom('runs')
          .select('id')
          .where('schedule_id', '=', schedule.id)
          .execute()
        expect(made.map(({ id }) => id).sort()).toEqual([...runs].sort())
        expect(runs.filter((run) => !there.begun.includes(run))).toEqual([])
        await changeSchedule(there.db, schedule.id, { isPaused: true }, null, new Date(there.now))
      }),
      { numRuns: inject('long') ? 200 : 20 },
    )
  })
})
