import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { farhandBin, removeFolder, sendSignal, temporaryFolder } from '../farhand-under-test.ts'
import { about, inStep, startLink, write } from '../linked-folders/link-under-test.ts'
import { MachineUnderTest } from './daemon-under-test.ts'

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
  it('is kept whoever is killed, and by one process at a time', slow, async () => {
    const [machine, folder] = [await MachineUnderTest.begin(), await temporaryFolder()]
    await write(folder, { 'a.txt': 'one' })
    const { folder: far } = await farSide(await machine.keep(folder, hub))
    expect(await text(far, 'a.txt')).toBe('one')
    const first = machine.folders.holder(folder)!
    const daemon = await machine.daemonThere()

    // What keeps it dies: it is started again, and finds what was done meanwhile.
    await vi.waitFor(() => expect(machine.folders.status(folder)?.doing.is).toBe('in-step'), soon)
    process.kill(first, 'SIGKILL')
    await write(folder, { 'a.txt': 'two' })
    const second = await machine.another(folder, first)
    await vi.waitFor(async () => expect(await text(far, 'a.txt')).toBe('two'), soon)

    // The daemon dies: nobody notices, and the next one finds what goes on.
    process.kill(daemon.pid, 'SIGKILL')
    await write(far, { 'b.txt': 'from there' })
    await vi.waitFor(async () => expect(await text(folder, 'b.txt')).toBe('from there'), soon)
    await vi.waitFor(() => expect(machine.folders.status(folder)?.doing).toMatchObject({ files: 2 }), soon)
    // A hub that takes its time is said to be silent, and a daemon not to be there, by right: then somebody looks again.
    const status = await vi.waitFor(async () => {
      const told = JSON.parse((await machine.call('status', '--json')).text)
      expect(told.hubs).not.toMatchObject([{ answer: 'silent' }])
      expect(told.daemon).not.toBeNull()
      return told
    }, soon)
    expect(status.daemon.pid).not.toBe(daemon.pid)
    expect(status.folders).toMatchObject([{ folder, pid: second, kept: 'live', doing: { is: 'in-step' } }])
    expect(status.hubs).toEqual([{ url: hub.url, own: false, answer: 'knows-us' }])

    // There is one daemon; a second one leaves it at that.
    expect(await machine.call('daemon')).toMatchObject({ code: 3, errors: expect.stringMatching(/already/) })

    // Both die, as when the machine does: the next command has it kept again.
    for (const pid of [status.daemon.pid, second]) sendSignal(pid, 'SIGKILL')
    await write(folder, { 'a.txt': 'three' })
    await machine.call('status')
    await machine.another(folder, second)
    await vi.waitFor(async () => expect(await text(far, 'a.txt')).toBe('three'), soon)
  })

  it('is left alone while it is paused, and let go of when its run is closed', slow, async () => {
    const [machine, folder] = [await MachineUnderTest.begin(), await temporaryFolder()]
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
    // The daemon, which has nothing to do, ends; and the next one knows what was wanted.
    await vi.waitFor(async () => expect(await machine.daemon()).toBeNull(), soon)
    expect((await machine.call('status')).text).toMatch(/paused since .* resume/)
    expect(machine.folders.holder(folder)).toBeNull()
    // One that somebody had started just before finds out by itself, also where no daemon ends it.
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
    await vi.waitFor(async () => expect(await machine.daemon()).toBeNull(), soon)
    const isClosed = async () => expect((await machine.call('status')).text).toMatch(/its run is closed/)
    await vi.waitFor(isClosed, soon)
  })

  it(
    'goes on when its terminal is closed with everything in it, and catches up after a long sleep',
    slow,
    async () => {
      const [machine, folder] = [await MachineUnderTest.begin(), await temporaryFolder()]
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
      // Whoever kills the group finds nobody in it, once those are buried that had died in it.
      await vi.waitFor(() => expect(() => process.kill(-terminal.pid!, 0)).toThrow(/ESRCH/), soon)

      const { folder: far } = await farSide(said.run)
      const tree = [machine.folders.holder(folder)!, (await machine.daemonThere()).pid]
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
    const [machine, folder] = [await MachineUnderTest.begin(), await temporaryFolder()]
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
