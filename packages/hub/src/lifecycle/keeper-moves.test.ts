import { describe, expect, it, vi } from 'vitest'
import { moveRun } from '../runs/move-run.ts'
import { findRun } from '../store/runs.ts'
import { listSandboxes } from '../store/sandboxes.ts'
import { KeptWorld } from './keeper-under-test.ts'

const message = '_posthog/user_message'
const nobody = () => false
const eventually = (holds: () => unknown) => vi.waitFor(holds, { interval: 2, timeout: 60_000 })
const moved = (sandbox: string) => ['_posthog/moved', { sandbox }, { kind: 'hub' }] as const

describe('W46 the keeper of a run that moves', () => {
  it('removes its sandbox and gives it none while it works on a device, even if messages come', async () => {
    const world = await KeptWorld.make()
    world.terms = { ...world.terms, idleMs: 60_000 }
    await world.begin()
    const run = await world.run({ sandbox: 'auto' })
    world.keeper.look(run)
    await world.until(run, 'active')
    await world.say(run, ...moved('none'))
    await eventually(() => expect(world.host.all.size).toBe(0))
    await world.say(run, message, { content: 'hi' })
    await eventually(async () => expect((await findRun(world.db, { run }))!.sandbox).toBe('none'))
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
    expect(await world.view(run)).toMatchObject({
      status: 'active',
      unacked: [[expect.any(Number)]],
      turns: 0,
    })
    expect(world.errors).toEqual([])
  })

  it('gives it one when it moves here, and messages sent during the move are worked on once', async () => {
    const world = await KeptWorld.make()
    await world.begin()
    const run = await world.run({ sandbox: 'none' })
    await (await world.bringRunner(run)).stop()
    await world.say(run, message, { content: 'hi' })
    const owned = (await findRun(world.db, { run }))!
    await expect(moveRun(world, owned, { sandbox: 'auto', after: 0 }, nobody)).rejects.toMatchObject({
      code: 'run.taken',
    })
    expect((await world.view(run)).place).toBeNull()
    for (const _ of ['first', 'again']) await moveRun(world, owned, { sandbox: 'auto', after: 1 }, nobody)
    world.keeper.moved(run, 1)
    await world.until(run, 'asleep')
    expect((await world.view(run)).turns).toBe(1)
    expect((await world.told(run)).filter((word) => word === 'moved')).toHaveLength(1)
  })

  it('writes nothing into the log about a sandbox that was planned when the run moved to a device', async () => {
    const world = await KeptWorld.make()
    const run = await world.run({ sandbox: 'auto' })
    let moving: Promise<unknown> | null = null
    let looks = 0
    world.lodging = () => {
      looks += 1
      // It is decided by then that it gets one.
      if (looks === 2) moving = world.say(run, ...moved('none'))
      return null
    }
    await world.begin()
    await eventually(() => expect(moving).not.toBeNull())
    await moving
    await eventually(async () => expect((await findRun(world.db, { run }))!.sandbox).toBe('none'))
    await eventually(async () => expect(await listSandboxes(world.db)).toEqual([]))
    expect([world.host.begun, await world.view(run)]).toMatchObject([[], { status: 'active', place: 'none' }])
  })

  it('goes by the log if a hub died before it stored the move', async () => {
    const world = await KeptWorld.make()
    const [here, there] = [await world.run({ sandbox: 'auto' }), await world.run({ sandbox: 'none' })]
    await world.say(here, ...moved('none'))
    await world.say(there, ...moved('auto'))
    for (const run of [here, there]) await world.say(run, message, { content: 'hi' })
    await world.begin()
    await world.until(there, 'asleep')
    const kindOf = async (run: typeof here) => (await findRun(world.db, { run }))!.sandbox
    expect([await kindOf(here), await kindOf(there)]).toEqual(['none', 'auto'])
    expect((await world.told(here)).slice(2)).toEqual([])
  })
})
