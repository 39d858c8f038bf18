import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { farhandBin, removeFolder, sendSignal, temporaryFolder } from '../../farhand-under-test.ts'
import { about, inStep, startLink, write } from '../link/link-under-test.ts'
import { DeviceUnderTest } from './device-under-test.ts'

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(() => hub.kill('SIGKILL'))

const slow = { timeout: 240_000 }
const soon = { timeout: 60_000 }

const text = (folder: string, name: string) => readFile(path.join(folder, name), 'utf8').catch(() => null)

/** The far side of a run, in a terminal of another machine. */
async function farSide(run: string) {
  const folder = await temporaryFolder()
  const far = startLink(folder, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
  await far.until(inStep)
  return far
}

describe('a folder that is kept in the background', () => {
  it('is kept after its process was killed, by one process for all folders', slow, async () => {
    const [machine, folder] = [await DeviceUnderTest.begin(), await temporaryFolder()]
    await write(folder, { 'a.txt': 'one' })
    const { folder: far } = await farSide(await machine.keep(folder, hub))
    expect(await text(far, 'a.txt')).toBe('one')
    const first = machine.folders.holder(folder)!
    expect((await machine.deviceThere()).pid).toBe(first)
    const other = await temporaryFolder()
    await machine.keep(other, hub)
    expect(machine.folders.holder(other)).toBe(first)

    // It dies: the next command starts it again, whatever that command is for, and it finds what was done meanwhile.
    await machine.inStep(folder)
    process.kill(first, 'SIGKILL')
    await write(folder, { 'a.txt': 'two' })
    expect((await machine.call('links')).code).toBe(0)
    const second = await machine.another(folder, first)
    expect(await machine.another(other, first)).toBe(second)
    await vi.waitFor(async () => expect(await text(far, 'a.txt')).toBe('two'), soon)
    await write(far, { 'b.txt': 'from there' })
    await vi.waitFor(async () => expect(await text(folder, 'b.txt')).toBe('from there'), soon)
    await vi.waitFor(
      async () => expect((await machine.status(folder))?.doing).toMatchObject({ files: 2 }),
      soon,
    )
    // A hub that takes long counts as silent, and a device process as absent, by right: then `status` is called again.
    const status = await vi.waitFor(async () => {
      const told = JSON.parse((await machine.call('status', '--json')).text)
      expect(told.hubs).not.toMatchObject([{ answer: 'silent' }])
      expect(told.daemon).not.toBeNull()
      return told
    }, soon)
    expect(status.daemon.pid).toBe(second)
    expect(status.folders).toHaveLength(2)
    expect(status.folders).toContainEqual(
      expect.objectContaining({
        folder,
        pid: second,
        kept: 'live',
        doing: expect.objectContaining({ is: 'in-step' }),
      }),
    )
    expect(status.hubs).toEqual([{ url: hub.url, own: false, answer: 'knows-us' }])

    // There is one; a second one leaves it at that, also when it is called as earlier versions called it.
    for (const name of ['device', 'daemon'])
      expect(await machine.call(name)).toMatchObject({ code: 3, errors: expect.stringMatching(/already/) })

    sendSignal(second, 'SIGKILL')
    await write(folder, { 'a.txt': 'three' })
    await machine.call('status')
    await machine.another(folder, second)
    await vi.waitFor(async () => expect(await text(far, 'a.txt')).toBe('three'), soon)
  })

  it('is left alone while it is paused, and let go of when its run is closed', slow, async () => {
    const [machine, folder] = [await DeviceUnderTest.begin(), await temporaryFolder()]
    await write(folder, { 'a.txt': 'one' })
    const run = await machine.keep(folder, hub)
    const there = await farSide(run)
    const far = there.folder
    const paused = await machine.call('pause', folder)
    expect(paused.text).toMatch(/is paused/)
    expect(machine.folders.holder(folder)).toBeNull()
    await write(folder, { 'a.txt': 'while paused' })
    await write(far, { 'far.txt': 'while paused' })
    await there.until(about('sent', 'far.txt'))
    // The device process, which has nothing to do, ends; and the next one knows what was wanted.
    await vi.waitFor(async () => expect(await machine.device()).toBeNull(), soon)
    expect((await machine.call('status')).text).toMatch(/paused since .* resume/)
    expect(machine.folders.holder(folder)).toBeNull()
    // As the daemon of an earlier version asks for it.
    expect(await machine.call('link', folder, '--kept', '--json')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/is paused/),
    })

    expect((await machine.call('resume', folder)).text).toMatch(/in step again, 2 files/)
    expect(await text(folder, 'far.txt')).toBe('while paused')
    await vi.waitFor(async () => expect(await text(far, 'a.txt')).toBe('while paused'), soon)

    const access = ['--hub', hub.url, '--token', hub.token]
    expect((await machine.call('close', run, ...access)).code).toBe(0)
    await vi.waitFor(() => expect(machine.folders.find(folder)).toBeNull(), soon)
    await vi.waitFor(async () => expect(await machine.device()).toBeNull(), soon)
    const isClosed = async () => expect((await machine.call('status')).text).toMatch(/its run is closed/)
    await vi.waitFor(isClosed, soon)
  })

  it(
    'goes on when its terminal is closed with everything in it, and catches up after a long sleep',
    slow,
    async () => {
      const [machine, folder] = [await DeviceUnderTest.begin(), await temporaryFolder()]
      await write(folder, { 'a.txt': 'one' })
      const words = [
        '--run',
        'new',
        '--hub',
        hub.url,
        '--token',
        hub.token,
        '--state',
        machine.place,
        '--json',
      ]
      // As a shell starts it: at the head of a group of its own.
      const terminal = spawn(process.execPath, [farhandBin, 'link', folder, '--background', ...words], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = once(terminal, 'exit')
      const said = JSON.parse((await readText(terminal.stdout)).trim().split('\n').at(-1)!)
      await ended
      // The terminal kills the group: nothing is left in it, once its dead processes are waited for.
      await vi.waitFor(() => expect(() => process.kill(-terminal.pid!, 0)).toThrow(/ESRCH/), soon)

      const { folder: far } = await farSide(said.run)
      const tree = [machine.folders.holder(folder)!]
      for (const pid of tree) process.kill(pid, 'SIGSTOP')
      await hub.restart()
      await writeFile(path.join(far, 'a.txt'), 'while it slept')
      await writeFile(path.join(folder, 'here.txt'), 'while it slept')
      for (const pid of tree) process.kill(pid, 'SIGCONT')
      await vi.waitFor(async () => expect(await text(folder, 'a.txt')).toBe('while it slept'), soon)
      await vi.waitFor(async () => expect(await text(far, 'here.txt')).toBe('while it slept'), soon)
      expect(machine.folders.holder(folder)).toBe(tree[0])
    },
  )

  it('that only a person can help says what is wrong, and is not tried for ever', slow, async () => {
    const [machine, folder] = [await DeviceUnderTest.begin(), await temporaryFolder()]
    await write(folder, { 'a.txt': 'one' })
    await machine.keep(folder, hub)
    await removeFolder(folder)
    await vi.waitFor(() => expect(machine.folders.find(folder)?.is).toBe('failed'), soon)
    expect((await machine.call('status')).text).toMatch(/failed .*: Stopped: .*\n.*Put it back/)
    expect(await machine.call('resume', folder)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/is gone/),
    })
  })
})
