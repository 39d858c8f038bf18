import { expect, it, vi } from 'vitest'
import { KeptWorld, quick } from './keeper-under-test.ts'

const message = '_posthog/user_message'
const yearMs = 365 * 24 * 3_600_000
const ahead = () => Date.now() + yearMs

async function worldAhead(): Promise<KeptWorld> {
  const world = await KeptWorld.make()
  world.clock.wall = ahead
  world.terms = { ...quick, idleMs: 300 }
  await world.begin()
  return world
}

it('W37 a run sleeps although its last activity was under a clock that was ahead and is right now', async () => {
  const world = await worldAhead()
  const run = await world.run()
  await world.say(run, message, { content: 'hi' })
  await vi.waitFor(async () => expect((await world.view(run)).turns).toBe(1), { timeout: 60_000 })
  world.clock.wall = Date.now
  await world.until(run, 'asleep')
  const last = (await world.events(run)).at(-1)!
  expect(Date.parse(last.timestamp)).toBeLessThan(Date.now() + 60_000)
})

it('W37 a run sleeps, too, when the next hub finds such an activity in its log', async () => {
  const world = await worldAhead()
  world.terms = { ...quick, idleMs: 60_000 }
  const run = await world.run()
  await world.say(run, message, { content: 'hi' })
  await vi.waitFor(async () => expect((await world.view(run)).turns).toBe(1), { timeout: 60_000 })
  await world.keeper.stop()
  world.clock.wall = Date.now
  world.terms = { ...quick, idleMs: 300 }
  await world.begin()
  await world.until(run, 'asleep')
})

it('W37 a failure under a clock that was ahead keeps no run waiting until that time comes', async () => {
  const world = await worldAhead()
  world.host.refuses = 'not now'
  const run = await world.run()
  await world.say(run, message, { content: 'hi' })
  await world.until(run, 'failed')
  await world.keeper.stop()
  const rows = await world.db.selectFrom('sandboxes').selectAll().execute()
  for (const { run_id, failures } of rows) {
    const later = { ...JSON.parse(failures), count: 2, lastAt: ahead() }
    await world.db
      .updateTable('sandboxes')
      .set({ failures: JSON.stringify(later) })
      .where('run_id', '=', run_id)
      .execute()
  }
  await world.say(run, '_posthog/status', { status: 'active' }, { kind: 'hub' })
  world.clock.wall = Date.now
  world.host.refuses = null
  world.terms = { ...quick, retryMs: 1 }
  await world.begin()
  await vi.waitFor(async () => expect((await world.view(run)).turns).toBe(1), { timeout: 60_000 })
})
