import { describe, expect, it } from 'vitest'
import { writeLines } from '../store/schedules/occurrences.ts'
import type { StoredSchedule } from '../store/schedules/schedules.ts'
import { type AlarmParts, Alarms } from './alarms.ts'
import { SchedulesUnderTest } from './schedules-under-test.ts'

const callback = { url: 'https://hub.example/hook' }

/** So many due times of a new schedule with a callback are missed. */
async function missed(there: SchedulesUnderTest, count = 1): Promise<StoredSchedule> {
  const schedule = await there.schedule({ callback })
  const lines = Array.from({ length: count }, (_, n) => {
    const dueAt = schedule.nextDueAt! + n
    return { dueAt, firstDueAt: dueAt, standsFor: 1, state: 'missed' as const, reason: 'No.' }
  })
  there.now += 1
  await writeLines(there.db, schedule, lines, schedule.nextDueAt! + count, new Date(there.now))
  return schedule
}

function alarmsOf(there: SchedulesUnderTest, more: Partial<AlarmParts>) {
  const told: string[] = []
  const tell: AlarmParts['tell'] = async (user) => {
    told.push(user)
  }
  const parts = { db: there.db, tell, post: async () => ({ status: 204 }), pausesMs: [] }
  return { told, alarms: new Alarms({ ...parts, onError: (error) => there.errors.push(error), ...more }) }
}

/** As a receiver that takes a call and never answers. */
const silent: AlarmParts['post'] = (_callback, _call, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const soon = { timeout: 60_000 }

describe('an alarm', { timeout: 120_000 }, () => {
  it('W97 reaches its user, also by callback, while more than a hundred of another user have a silent callback', async () => {
    const there = await SchedulesUnderTest.open()
    const [slow, other] = [await missed(there, 110), await missed(there)]
    const called: unknown[] = []
    const { told, alarms } = alarmsOf(there, {
      post: (to, call, signal) => {
        called.push(call.about.schedule)
        return call.about.schedule === other.id ? Promise.resolve({ status: 204 }) : silent(to, call, signal)
      },
    })
    alarms.look()
    await expect.poll(() => called, soon).toContain(other.id)
    await alarms.stop()
    expect(told.filter((user) => user === other.owner)).toHaveLength(1)
    expect(called.filter((id) => id === slow.id).length).toBeLessThan(10)
  })

  it('W97 calls every callback in the end, though only a few of a user are called at the same time', async () => {
    const there = await SchedulesUnderTest.open()
    await missed(there, 12)
    const called = new Set<string>()
    const { alarms } = alarmsOf(there, {
      post: async (_, { id }) => {
        called.add(id)
        return { status: 204 }
      },
    })
    alarms.look()
    await expect.poll(() => called.size, soon).toBe(12)
    await alarms.stop()
  })

  it('W97 is pushed once though the hub is stopped before its callback has answered, and the callback is called again', async () => {
    const there = await SchedulesUnderTest.open()
    await missed(there)
    let calls = 0
    let pushes = 0
    for (let n = 1; n <= 3; n++) {
      const { told, alarms } = alarmsOf(there, {
        post: (...given) => {
          calls += 1
          return silent(...given)
        },
      })
      alarms.look()
      await expect.poll(() => calls, soon).toBe(n)
      await alarms.stop()
      pushes += told.length
    }
    expect(pushes).toBe(1)
  })
})
