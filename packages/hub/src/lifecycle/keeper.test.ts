import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRun } from '../runs/open-run.ts'
import { listSandboxes } from '../store/sandboxes.ts'
import { goodRunner, KeptWorld, quick } from './keeper-under-test.ts'
import { Mortal } from './mortal-under-test.ts'
import { pretendedSpec } from './pretended-sandboxes-under-test.ts'

const message = '_posthog/user_message'
const minutes = 60_000
/** A runner says that it works on a message, if one waits. */
function ackOf(id: number | undefined, generation: number) {
  const ack = { jsonrpc: '2.0', method: '_posthog/ack', params: { for: 'user_message', id } } as const
  return { by: { kind: 'runner', generation } as const, notifications: id === undefined ? [] : [ack] }
}

const eventually = (holds: () => unknown) => vi.waitFor(holds, { interval: 2, timeout: 60_000 })

describe('the keeper of sandboxes', () => {
  it('gives a new run a sandbox at once and says each step; it sleeps, wakes by a message, and is cleared away when closed', async () => {
    const world = await KeptWorld.make()
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'asleep')
    expect(await world.told(run)).toEqual([
      'status provisioning',
      'phase_start provisioning',
      'session_start',
      'phase_complete provisioning true',
      'status active',
      'rest_request',
      'rest_answer true',
      'status asleep',
    ])
    // It is said before it is forgotten, or a hub that dies in between would not know of it.
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
    await world.say(run, message, { content: 'hi' })
    await eventually(async () => expect((await world.view(run)).turns).toBe(1))
    await world.close(run)
    await world.until(run, 'closed')
    await eventually(() => expect(world.host.all.size).toBe(0))
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
    expect(world.errors).toEqual([])
  })

  it('goes on after the keeper before it was killed at any step, and leaves no sandbox behind', async () => {
    const ends = new Set<string>()
    for (let deed = 1, isReached = true; isReached; deed++) {
      for (const when of ['before', 'after'] as const) {
        const world = await KeptWorld.make()
        const run = await world.run()
        await world.say(run, message, { content: 'one' })
        const mortal = new Mortal({ deed, when })
        await world.begin(mortal)
        const isAsleep = world.until(run, 'asleep').catch(() => {})
        await Promise.race([isAsleep, mortal.death])
        isReached = mortal.isDead
        await world.begin()
        await world.until(run, 'asleep')
        await world.say(run, message, { content: 'two' })
        await eventually(async () => expect((await world.view(run)).turns).toBe(2))
        await world.close(run)
        await world.until(run, 'closed')
        await eventually(() => expect(world.host.all.size).toBe(0))
        await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
        await eventually(() => expect([...world.sockets]).toEqual([]))
        ends.add(`${deed} ${when}`)
      }
    }
    expect(ends.size).toBeGreaterThan(12)
  }, 180_000)

  it('W29 a sandbox that is killed in the middle of a turn is replaced, and the next runner has the turn', async () => {
    const world = await KeptWorld.make()
    world.runner = async (_, run, generation) => {
      if (generation > 1) return await goodRunner(world, run, generation)
      await world.log.append(run, ({ view }) => ackOf(view.unacked[0]?.[0], generation))
      if ((await world.view(run)).openTurns.length > 0) world.host.kill(world.sandboxOf(run)!)
    }
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await world.until(run, 'asleep')
    expect(await world.view(run)).toMatchObject({ generation: 2, turns: 1 })
    expect(await world.told(run)).toContain('console')
  })

  it('replaces a sandbox that runs and says nothing, and one whose runner never comes', async () => {
    const world = await KeptWorld.make()
    world.terms = { ...quick, silentMs: 40, startMs: 40, idleMs: 10 * minutes }
    world.runner = async (_, run, generation) => {
      if (generation === 3) await goodRunner(world, run, generation)
    }
    world.comes = (generation) => {
      if (generation === 3) world.terms = { ...quick, idleMs: 10 * minutes }
      return generation !== 2
    }
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await eventually(async () => expect(await world.view(run)).toMatchObject({ generation: 3, turns: 1 }))
    const told = await world.told(run)
    expect(told).toContain('console')
    expect(told).toContain('phase_complete provisioning false')
  })

  it('W37 asks no runner to rest before its open turn is over, no matter how long that takes', async () => {
    const world = await KeptWorld.make()
    world.terms = { ...quick, idleMs: 1 }
    let looks = 0
    world.runner = async (_, run, generation) => {
      const { openTurns } = await world.view(run)
      // Each word of the machinery has the keeper look again; the agent itself says nothing.
      if (openTurns.length > 0 && ++looks < 40)
        return void (await world.say(
          run,
          '_posthog/console',
          { level: 'info', message: 'x' },
          { kind: 'runner', generation },
        ))
      await goodRunner(world, run, generation)
    }
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await world.until(run, 'asleep')
    const told = (await world.told(run)).filter((line) => /^(ack|turn_complete|rest)/.test(line))
    expect(told.slice(-4)).toEqual(['ack', 'turn_complete', 'rest_request', 'rest_answer true'])
    expect(told.slice(0, -4).every((line) => line.startsWith('rest'))).toBe(true)
  })

  it('W37 events of runner and hub about themselves keep no run awake', async () => {
    const world = await KeptWorld.make()
    world.runner = async (_, run, generation) => {
      const { status, rest } = await world.view(run)
      if (status === 'active' && rest === null)
        await world.say(
          run,
          '_posthog/console',
          { level: 'info', message: 'x' },
          { kind: 'runner', generation },
        )
      await goodRunner(world, run, generation)
    }
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'asleep')
    expect(await world.told(run)).toContain('console')
  })

  it('W37 a message that comes when its runner has just said that it rests is worked on by the next', async () => {
    const world = await KeptWorld.make()
    let sent = false
    world.runner = async (_, run, generation) => {
      // The first does nothing else: an answer of its own, given meanwhile, would leave no moment for the message.
      if (generation > 1) return await goodRunner(world, run, generation)
      const { rest } = await world.view(run)
      if (rest?.rests !== null || sent) return
      sent = true
      const answer = { for: rest.request, rests: true }
      const said = world.say(run, '_posthog/rest_answer', answer, { kind: 'runner', generation })
      await Promise.all([said, world.say(run, message, { content: 'late' })])
    }
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await eventually(async () => expect(await world.view(run)).toMatchObject({ turns: 1, generation: 2 }))
    await world.until(run, 'asleep')
  })

  it('W12 is opened by session_init while it sleeps, and has a sandbox before the first message', async () => {
    const world = await KeptWorld.make()
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'asleep')
    world.terms = { ...quick, idleMs: 10 * minutes }
    await openRun(world, run)
    await world.until(run, 'active')
    expect(await world.view(run)).toMatchObject({ generation: 2 })
  })

  it('gives up on one that takes too long to start, and leaves nothing of it when it starts after all', async () => {
    const world = await KeptWorld.make()
    world.terms = { ...quick, provisionMs: 20 }
    let go = () => {}
    world.host.startsAfter = new Promise((resolve) => {
      go = resolve
    })
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'failed')
    go()
    await eventually(() => expect(world.host.removed).toHaveLength(world.host.begun.length * 2))
    expect(world.host.all.size).toBe(0)
  })

  it('gives up after some failures in a row with an error that says so, and tries again at the next message', async () => {
    const world = await KeptWorld.make()
    world.host.refuses = 'no disk left'
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await world.until(run, 'failed')
    expect(world.host.begun).toHaveLength(3)
    const error = (await world.events(run)).findLast(
      ({ notification }) => notification.method === '_posthog/error',
    )
    expect(error?.notification.params?.message).toMatch(/3 times.*no disk left.*send a message/)
    await world.say(run, message, { content: 'again' })
    await eventually(() => expect(world.host.begun).toHaveLength(4))
    await world.until(run, 'failed')
    world.host.refuses = null
    await world.say(run, message, { content: 'now' })
    await eventually(async () => expect((await world.view(run)).turns).toBe(3))
  })

  it('W37 tells a new run once that there is no room for it, and for what it waits', async () => {
    const world = await KeptWorld.make()
    world.most = 1
    world.terms = { ...quick, idleMs: 10 * minutes }
    world.runner = async () => {}
    await world.begin()
    const [has, waits] = [await world.run(), await world.run()]
    await world.say(has, message, { content: 'hi' })
    await world.until(has, 'active')
    await world.say(waits, message, { content: 'hi' })
    await eventually(async () => expect(await world.told(waits)).toContain('status queued'))
    await world.say(waits, message, { content: 'still there?' })
    world.keeper.look(waits)
    await world.keeper.stop()
    expect(await world.told(waits)).toEqual(['user_message', 'status queued', 'user_message'])
  })

  it('adopts what runs on, and removes what is dead, unknown, or of a run that is closed', async () => {
    const world = await KeptWorld.make()
    world.terms = { ...quick, idleMs: 10 * minutes }
    await world.begin()
    const [stays, dies] = [await world.run(), await world.run()]
    for (const run of [stays, dies]) {
      await world.say(run, message, { content: 'hi' })
      await eventually(async () => expect((await world.view(run)).turns).toBe(1))
    }
    await world.keeper.stop()
    const adopted = world.sandboxOf(stays)
    world.host.kill(world.sandboxOf(dies)!)
    await world.host.start(pretendedSpec('sbx_unknown', stays, 0))
    await world.begin()
    await world.until(dies, 'asleep')
    expect([...world.host.all.keys()]).toEqual([adopted])
    expect([...world.sockets]).toEqual([adopted])
    expect(await world.view(stays)).toMatchObject({ status: 'active', generation: 1 })
  })

  it('leaves a run to a runner that another program started, and takes it back when that runner is gone', async () => {
    const world = await KeptWorld.make()
    world.host.refuses = 'not yet'
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'failed')
    world.host.refuses = null
    const own = await world.bringRunner(run)
    await world.say(run, message, { content: 'for them' })
    expect(await world.view(run)).toMatchObject({ status: 'active', generation: 4 })
    own.stop()
    await eventually(async () => expect(await world.view(run)).toMatchObject({ generation: 5, turns: 1 }))
  })

  it('gives another program’s runner time to reconnect to a hub that has just started', async () => {
    const world = await KeptWorld.make()
    world.away = 10 * minutes
    world.host.refuses = 'not yet'
    await world.begin()
    const run = await world.run()
    world.keeper.look(run)
    await world.until(run, 'failed')
    world.host.refuses = null
    const own = await world.bringRunner(run)
    await world.say(run, message, { content: 'for them' })
    await world.keeper.stop()
    own.stop()
    await world.begin()
    expect(await world.view(run)).toMatchObject({ status: 'active', generation: 4 })
    await world.keeper.stop()
    // It does not come back in time.
    world.away = 20
    await world.begin()
    await eventually(async () => expect(await world.view(run)).toMatchObject({ generation: 5, turns: 1 }))
  })

  it('says once what the user has to do first, no matter how often it looks', async () => {
    const world = await KeptWorld.make()
    world.lodging = () => ({ waits: 'name an agent' })
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await eventually(async () => expect(await world.told(run)).toContain('status queued'))
    await world.say(run, message, { content: 'again' })
    await world.keeper.stop()
    await world.begin()
    const own = await world.bringRunner(run)
    own.stop()
    expect(await world.told(run)).toEqual(['user_message', 'status queued', 'user_message', 'session_start'])
  })

  it('warns once of a sandbox that does not isolate, also if an earlier one did', async () => {
    const world = await KeptWorld.make()
    await world.begin()
    const run = await world.run()
    for (const [turns, warning] of [null, 'it is open', 'it is open'].entries()) {
      world.warning = warning
      await world.say(run, message, { content: 'hi' })
      await eventually(async () => expect((await world.view(run)).turns).toBe(turns + 1))
      await world.until(run, 'asleep')
    }
    const events = await world.events(run)
    const warnings = events.flatMap(({ notification: { method, params } }) =>
      method === '_posthog/console' ? [params?.message] : [],
    )
    expect(warnings).toEqual(['it is open'])
  })

  it('a run that sleeps has no row and no timer, and one with "none" is not touched', async () => {
    const world = await KeptWorld.make()
    await world.begin()
    const [run, own] = [await world.run(), await world.run({ sandbox: 'none' })]
    await world.say(own, message, { content: 'hi' })
    await world.say(run, message, { content: 'hi' })
    await world.until(run, 'asleep')
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await world.say(run, '_posthog/file_sync', { path: 'a', action: 'deleted' })
    await world.say(run, '_posthog/console', { level: 'info', message: 'x' })
    // Its runner may leave only now, and is waited for once; nothing may be set again by that.
    await vi.runOnlyPendingTimersAsync()
    expect(vi.getTimerCount()).toBe(0)
    expect(await world.told(own)).toEqual(['user_message'])
    expect((await world.view(run)).status).toBe('asleep')
  })

  it('W22 a run is closed and cleared away also when its sandbox keeps failing', async () => {
    const world = await KeptWorld.make()
    world.host.refuses = 'no'
    await world.begin()
    const run = await world.run()
    await world.say(run, message, { content: 'hi' })
    await world.until(run, 'failed')
    await world.close(run)
    await world.until(run, 'closed')
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
  })
})
