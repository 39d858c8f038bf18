import { describe, expect, it, vi } from 'vitest'
import { goodRunner, KeptWorld, quick } from './keeper-under-test.ts'

const message = '_posthog/user_message'
const minutes = 60_000
const eventually = (holds: () => unknown) => vi.waitFor(holds, { interval: 2, timeout: 60_000 })

describe('a keeper at its limit of sandboxes', () => {
  it('has no more sandboxes than the limit: later runs wait in a queue, and idle sandboxes end early', async () => {
    const world = await KeptWorld.make()
    world.most = 1
    world.terms = { ...quick, idleMs: 10 * minutes }
    await world.begin()
    const runs = [await world.run(), await world.run(), await world.run()]
    for (const run of runs) await world.say(run, message, { content: 'hi' })
    let most = 0
    world.log.onAnyGrowth(() => (most = Math.max(most, world.host.all.size)))
    for (const run of runs.slice(0, 2)) await world.until(run, 'asleep')
    await eventually(async () => expect((await world.view(runs[2]!)).turns).toBe(1))
    expect(most).toBe(1)
    for (const run of runs) expect((await world.view(run)).turns).toBe(1)
  })

  it('lets no run wait behind one that has failed and waits for a user', async () => {
    const world = await KeptWorld.make()
    world.most = 1
    world.terms = { ...quick, idleMs: 10 * minutes }
    await world.begin()
    const [broken, first, second] = [await world.run(), await world.run(), await world.run()]
    world.host.refuses = 'no'
    await world.say(broken, message, { content: 'hi' })
    await world.until(broken, 'failed')
    world.host.refuses = null
    await world.say(first, message, { content: 'hi' })
    await eventually(async () => expect((await world.view(first)).turns).toBe(1))
    // It is looked at when there is no room, and wants nothing new.
    await world.say(broken, '_posthog/console', { level: 'info', message: 'x' })
    await world.say(second, message, { content: 'hi' })
    await eventually(async () => expect((await world.view(second)).turns).toBe(1))
    expect(await world.view(broken)).toMatchObject({ status: 'failed' })
  })

  it('gives the place to the next run in the queue if the first cannot take it any more', async () => {
    const world = await KeptWorld.make()
    world.most = 1
    world.terms = { ...quick, idleMs: 10 * minutes }
    let isBusy = true
    world.runner = async (_, run, generation) => {
      if (!isBusy) await goodRunner(world, run, generation)
    }
    await world.begin()
    const [has, first, second] = [await world.run(), await world.run(), await world.run()]
    await world.say(has, message, { content: 'hi' })
    await world.until(has, 'active')
    for (const run of [first, second]) {
      await world.say(run, message, { content: 'hi' })
      await world.until(run, 'queued')
    }
    world.lodging = ({ id }) => (id === first ? { impossible: 'its secret is gone' } : null)
    isBusy = false
    world.host.kill(world.sandboxOf(has)!)
    await eventually(async () => expect((await world.view(second)).turns).toBe(1))
    expect(await world.view(first)).toMatchObject({ status: 'failed' })
  })

  it('W51 serves a user without a sandbox before the second run of a user who waited longer', async () => {
    const world = await KeptWorld.make()
    world.most = 2
    world.terms = { ...quick, idleMs: 10 * minutes }
    // A run that has a sandbox keeps it.
    world.runner = async () => {}
    await world.begin()
    const [first, second, third] = [await world.run(), await world.run(), await world.run()]
    for (const run of [first, second]) {
      await world.say(run, message, { content: 'hi' })
      await world.until(run, 'active')
    }
    await world.say(third, message, { content: 'hi' })
    await world.until(third, 'queued')
    const other = await world.runOf('bob')
    await world.say(other, message, { content: 'hi' })
    await world.until(other, 'queued')
    await world.close(first)
    world.host.kill(world.sandboxOf(first)!)
    await world.until(other, 'active')
    expect((await world.view(third)).status).toBe('queued')
  })

  it('W51 leaves room for others when one user holds their share, and says so', async () => {
    const world = await KeptWorld.make()
    world.most = 2
    world.perUser = 1
    world.runner = async () => {}
    await world.begin()
    const [first, second] = [await world.run(), await world.run()]
    await world.say(first, message, { content: 'hi' })
    await world.until(first, 'active')
    await world.say(second, message, { content: 'hi' })
    await eventually(async () => {
      const events = JSON.stringify(await world.events(second))
      expect(events).toContain("your share of this hub's 2")
    })
    const other = await world.runOf('bob')
    await world.say(other, message, { content: 'hi' })
    await world.until(other, 'active')
    expect((await world.view(second)).status).toBe('queued')
  })
})
