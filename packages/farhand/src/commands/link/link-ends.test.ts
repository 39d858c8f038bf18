import { cp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { closeRun } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { farhand, removeFolder, temporaryFolder } from '../../farhand-under-test.ts'
import {
  about,
  filesIn,
  inStep,
  type LinkProcess,
  startLink,
  type Told,
  untilApplied,
  write,
} from './link-under-test.ts'

async function hubThatDies(): Promise<HubProcess> {
  const hub = await HubProcess.start()
  onTestFinished(async () => {
    await hub.kill()
    await removeFolder(hub.data)
  })
  return hub
}

/** A folder that is in step with a new run. */
async function linked(files: Record<string, string> = {}) {
  const hub = await hubThatDies()
  const folder = await temporaryFolder()
  const state = await temporaryFolder()
  await write(folder, files)
  const mine = startLink(folder, hub, '--run', 'new', '--state', state)
  const told = await mine.until((told) => told.event === 'ready')
  const { project, task, run, device } = told[0] as Told & RunAddress & { device: string }
  return { hub, folder, state, mine, at: { project, task, run }, run: String(run), device }
}

async function stop(link: LinkProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  link.child.kill(signal)
  await link.exitCode
}

/** A hub and several links are started one after the other. */
const patient = { timeout: 120_000 }

const isError = (told: Told) => told.event === 'error'
const isEnded = (told: Told) => told.event === 'ended'

// One that was killed has left its own, which is nothing without it.
const withoutSockets = { recursive: true, filter: (name: string) => !name.endsWith('.sock') }

describe('a hub that comes back with older data', patient, () => {
  it.each([
    ['is shorter', 0, 'SIGTERM'],
    ['has grown past what the folder knew', 12, 'SIGTERM'],
    ['has grown past what a killed folder knew', 12, 'SIGKILL'],
  ] as const)('S11 is noticed when its log %s, and a new meeting goes on', async (_, writes, signal) => {
    const { hub, folder, state, mine, run } = await linked({ 'a.txt': 'one' })
    await hub.kill()
    const backup = await temporaryFolder()
    await cp(hub.data, backup, withoutSockets)
    await hub.spawn()
    for (const n of [1, 2, 3]) {
      await write(folder, { [`${n}.txt`]: `${n}`, 'a.txt': `mine ${n}` })
      await mine.until(about('sent', `${n}.txt`))
      await mine.until(inStep)
    }
    await stop(mine, signal)
    await hub.kill()
    await rm(hub.data, { recursive: true })
    await cp(backup, hub.data, { recursive: true })
    await hub.spawn()
    const other = await temporaryFolder()
    const theirs = startLink(other, hub, '--run', run, '--state', await temporaryFolder())
    await theirs.until(inStep)
    for (let n = 0; n < writes; n += 1) {
      await write(other, { 'a.txt': `theirs ${n}` })
      await theirs.until(about('sent', 'a.txt'))
    }

    const again = startLink(folder, hub, '--state', state)
    const error = (await again.until(isError)).at(-1)
    expect(error?.message).toContain('not the one this folder knew')
    expect(error?.nextStep).toMatch(/unlink[\s\S]*--mine[\s\S]*--theirs/)
    expect(await again.exitCode).toBe(1)
    expect(await filesIn(folder)).toEqual({ 'a.txt': 'mine 3', '1.txt': '1', '2.txt': '2', '3.txt': '3' })

    expect(await farhand('unlink', folder, '--state', state).exitCode).toBe(0)
    await startLink(folder, hub, '--run', run, '--state', state, '--mine').until(inStep)
    await untilApplied(theirs, '1.txt', '2.txt', '3.txt', 'a.txt')
    expect(await filesIn(other)).toEqual(await filesIn(folder))
    expect((await filesIn(other))['a.txt']).toBe('mine 3')
  })

  it('S11 is noticed by a folder that was linked all the time', async () => {
    const { hub, folder, mine } = await linked({ 'a.txt': 'one' })
    await hub.kill()
    const backup = await temporaryFolder()
    await cp(hub.data, backup, withoutSockets)
    await hub.spawn()
    await write(folder, { 'b.txt': 'two' })
    await mine.until(about('sent', 'b.txt'))
    await hub.kill()
    await rm(hub.data, { recursive: true })
    await cp(backup, hub.data, { recursive: true })
    await hub.spawn()
    const error = (await mine.until(isError)).at(-1)
    expect(error?.message).toContain('not the one this folder knew')
    expect(await filesIn(folder)).toEqual({ 'a.txt': 'one', 'b.txt': 'two' })
  })
})

describe('a folder that has lost its memory', patient, () => {
  /** Both sides went on while it was stopped, and what it remembered is gone. */
  async function forgetful(lose: (memory: string) => Promise<void>) {
    const { hub, folder, state, mine, at, run, device } = await linked({ 'a.txt': 'one', 'b.txt': 'two' })
    const other = await temporaryFolder()
    const theirs = startLink(other, hub, '--run', run, '--state', await temporaryFolder())
    await theirs.until(inStep)
    await stop(mine)
    await write(other, { 'a.txt': 'theirs' })
    await theirs.until(about('sent', 'a.txt'))
    await write(folder, { 'a.txt': 'mine', 'c.txt': 'new' })
    await lose(new StateFolder(state).memoryOf(folder, at))
    return { hub, folder, state, other, theirs, run, device }
  }

  it.each([
    ['--mine', 'mine'],
    ['--theirs', 'theirs'],
  ])('S11 S4 counts as another device with %s, and both versions can be had', async (flag, text) => {
    const lost = await forgetful((memory) => rm(memory, { recursive: true }))
    const { hub, folder, state, other, theirs, run, device } = lost
    const asked = startLink(folder, hub, '--state', state)
    expect(await asked.exitCode).toBe(5)
    const told = await startLink(folder, hub, '--state', state, flag).until(inStep)
    expect(told[0]).toMatchObject({ event: 'linked', device: expect.not.stringMatching(device) })
    await untilApplied(theirs, 'c.txt', ...(flag === '--mine' ? ['a.txt'] : []))
    expect(await filesIn(folder)).toEqual({ 'a.txt': text, 'b.txt': 'two', 'c.txt': 'new' })
    expect(await filesIn(other)).toEqual(await filesIn(folder))
    const access = ['--run', run, '--hub', hub.url, '--token', hub.token]
    const history = farhand('history', 'a.txt', ...access, '--json')
    expect(await history.exitCode).toBe(0)
    const versions = new Set<string>()
    for (let n = 0; n < 3; n += 1) versions.add(String(JSON.parse(await history.line()).hash))
    expect(versions.size).toBe(3)
  })

  it('S11 is told what to do about a damaged one, and that works', async () => {
    const { hub, folder, state, run } = await forgetful(async (memory) => {
      for (const name of await readdir(memory))
        if (name === 'memory') await truncate(path.join(memory, name), 40)
    })
    const broken = startLink(folder, hub, '--state', state)
    const error = (await broken.until(isError)).at(-1)
    expect(error).toMatchObject({ exit: 1, message: expect.stringContaining('damaged') })
    expect(error?.nextStep).toContain(`unlink ${folder}`)
    expect(error?.nextStep).toContain(`link ${folder} --state ${state} --hub ${hub.url} --run ${run}`)
    expect(await farhand('unlink', folder, '--state', state).exitCode).toBe(0)
    await startLink(folder, hub, '--run', run, '--state', state, '--theirs').until(inStep)
    expect(await filesIn(folder)).toEqual({ 'a.txt': 'theirs', 'b.txt': 'two', 'c.txt': 'new' })
  })
})

describe('a run that is closed', patient, () => {
  it('ends its folders well if everything is in it', async () => {
    const { hub, mine, at } = await linked({ 'a.txt': 'one' })
    await closeRun(hub, at)
    const ended = (await mine.until(isEnded)).at(-1)
    expect(ended).toEqual({ event: 'ended', why: 'run.closed', unsent: 0 })
    expect(await mine.exitCode).toBe(0)
  })

  it('W22 does not wait for a folder in the runner’s seat that has nothing left to send', async () => {
    const { hub, folder, mine, at, run } = await linked({ 'a.txt': 'one' })
    const there = await temporaryFolder()
    const far = startLink(there, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
    await far.until(inStep)
    await write(there, { 'b.txt': 'at the last moment' })
    await closeRun(hub, at)
    for (const link of [mine, far]) {
      expect((await link.until(isEnded)).at(-1)).toEqual({ event: 'ended', why: 'run.closed', unsent: 0 })
      expect(await link.exitCode).toBe(0)
    }
    expect(await filesIn(folder)).toEqual({ 'a.txt': 'one', 'b.txt': 'at the last moment' })
  })

  it('S8 says that it is closed to who links it again, and --reopen goes on with what changed meanwhile', async () => {
    const { hub, folder, state, mine, at } = await linked({ 'a.txt': 'one' })
    await stop(mine)
    await closeRun(hub, at)
    await writeFile(path.join(folder, 'a.txt'), 'two')
    const again = startLink(folder, hub, '--state', state)
    await again.until(isEnded)
    expect(await again.exitCode).toBe(8)
    expect(again.errors()).toMatch(/The run is closed\.[\s\S]*link .* --reopen/)
    const told = await startLink(folder, hub, '--state', state, '--reopen').until(inStep)
    expect(told).toContainEqual(expect.objectContaining({ event: 'sent', path: 'a.txt' }))
  })
})
