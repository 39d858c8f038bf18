import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BackgroundLinks } from './background-links.ts'
import { askDevice, callDevice, folderStatuses } from './call-device.ts'
import { type LinkEnd, LinkEvent } from './device-protocol.ts'
import type { LinkSupervisorOptions } from './link-supervisor.ts'
import { runDevice } from './run-device.ts'

const soon = { timeout: 60_000 }

/**
 * A device process whose threads do what the name of their folder says, instead of syncing it: `good` is in step and says so
 * whenever it is started.
 */
const program = `
const { parentPort: port, workerData: { beat } } = require('node:worker_threads')
const tell = (message) => port.postMessage(message)
setInterval(() => Atomics.add(new Int32Array(beat), 0, 1), 20).unref()
const status = { pid: process.pid, version: '1.0.0', url: 'http://127.0.0.1:9', isKept: true, since: 1, doing: { is: 'in-step', files: 1 } }
port.on('message', ({ is, folder, words }) => {
  if (is === 'stop') {
    if (folder === '/deaf') return
    tell({ is: 'ended', end: { is: 'stopped' } })
    return port.close()
  }
  tell({ is: 'linked', device: 'dev_scripted1' })
  tell({ is: 'status', status })
  tell({ is: 'progress', sent: 1, toSend: 2 })
  if (folder === '/good' || words.includes('--mine')) tell({ is: 'in-step', files: 3 })
  if (folder === '/throws') setImmediate(() => { throw new Error('it threw') })
  if (folder === '/spins') setImmediate(() => { for (;;) ; })
  if (folder === '/grows') setImmediate(() => { const all = []; for (;;) all.push(new Array(1000).fill(all.length)) })
  if (folder === '/deaf') port.removeAllListeners('message').on('message', () => {})
  if (folder === '/closed') { tell({ is: 'ended', end: { is: 'run-closed' } }); port.close() }
  if (folder === '/told') { tell({ is: 'ended', end: { is: 'failed', exit: 'mustAsk', message: 'Which?', nextStep: 'Say.' } }); port.close() }
})`

const url = 'http://127.0.0.1:9'

async function begin(...names: string[]) {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-threads-'))
  const kept = new BackgroundLinks(new StateFolder(root))
  const folders = names.map((name) => `/${name}`)
  for (const folder of folders) {
    const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }
    const link = { url, token: 't', at, wins: 'disk' as const, device: newId(DeviceId, 'dev') }
    kept.state.save({ folder, ...link, generations: [] })
    kept.set(folder, { is: 'live', since: 1, words: [] })
  }
  const log: string[] = []
  const run = (more: Partial<LinkSupervisorOptions> = {}) => {
    const over = new AbortController()
    const device = runDevice({
      kept,
      version: '1.0.0',
      signal: over.signal,
      threads: { program, startedFrom: import.meta.url, context: null, mostHeapMb: 32 },
      words: {
        gaveUp: (folder, times) => ({ message: `${folder} died ${times} times`, nextStep: 'look' }),
        taken: (folder) => ({ exit: 'folderTaken', message: `${folder} is taken`, nextStep: '' }),
      },
      log: (line) => void log.push(line),
      lookMs: 50,
      mostMissed: 1_000_000,
      ...more,
    })
    const end = async () => {
      over.abort()
      await device
    }
    onTestFinished(end)
    return { device, end }
  }
  onTestFinished(async () => {
    await rm(root, { recursive: true, force: true })
  })
  const statuses = () => folderStatuses(root)
  const deaths = async () => (await askDevice(root, { ask: 'hello' }))?.deaths ?? {}
  return { root, kept, log, run, statuses, deaths }
}

/** All that a command hears that follows a folder. */
function following(root: string, folder: string) {
  const heard: LinkEvent[] = []
  const ended = new Promise<LinkEnd | null>((resolve) => {
    const call = callDevice(root, { ask: 'follow', folder }, LinkEvent, {
      heard(event) {
        heard.push(event)
        if (event.is !== 'ended') return
        resolve(event.end)
        call?.end()
      },
      ended: () => resolve(null),
    })
  })
  return { heard, ended }
}

const there = async (root: string) =>
  await vi.waitFor(async () => expect(await askDevice(root, { ask: 'hello' })).not.toBeNull(), soon)

it('a folder whose thread throws or runs out of memory holds up no other, and is started again', async () => {
  const { root, run, log, statuses, deaths } = await begin('good', 'throws', 'grows')
  run()
  await there(root)
  const { heard } = following(root, '/good')
  await vi.waitFor(async () => {
    const died = await deaths()
    expect(Object.keys(died).sort()).toEqual(['/grows', '/throws'])
    expect(died['/throws']!.count).toBeGreaterThan(1)
  }, soon)
  expect(log.join('\n')).toMatch(/\/throws: Error: it threw/)
  expect(log.join('\n')).toMatch(/\/grows: .*memory/)
  expect((await statuses())!['/good']).toMatchObject({ doing: { is: 'in-step' } })
  expect(heard.map(({ is }) => is)).toEqual(['linked', 'progress', 'in-step'])
})

it('a folder whose thread spins holds up no other, and is started again', async () => {
  const { root, run, log, statuses, deaths } = await begin('good', 'spins')
  run({ mostMissed: 40 })
  await there(root)
  await vi.waitFor(async () => expect((await deaths())['/spins']?.count).toBeGreaterThan(1), soon)
  expect(log).toContain('/spins: its thread is stuck')
  await vi.waitFor(
    async () => expect((await statuses())!['/good']).toMatchObject({ doing: { is: 'in-step' } }),
    soon,
  )
})

it('a thread is not taken for stuck because commands have the device process look often', async () => {
  const { root, run, log, statuses } = await begin('good')
  run({ lookMs: 2_000, mostMissed: 3 })
  await there(root)
  await vi.waitFor(async () => expect(Object.keys((await statuses())!)).toEqual(['/good']), soon)
  for (let n = 0; n < 300; n++) await askDevice(root, { ask: 'look' })
  expect(log).toEqual([])
  expect(Object.keys((await statuses())!)).toEqual(['/good'])
})

it('a folder whose thread dies again and again is given up, and its command hears why', async () => {
  const { root, kept, run } = await begin('throws', 'good')
  run()
  await there(root)
  const { ended } = following(root, '/throws')
  // Seconds pass between the tries; the clock of the device process need not wait for them.
  await vi.waitFor(async () => expect(kept.find('/throws')?.is).toBe('failed'), { timeout: 110_000 })
  expect(await ended).toEqual({
    is: 'failed',
    exit: 'failed',
    message: '/throws died 6 times',
    nextStep: 'look',
  })
  expect(kept.find('/good')?.is).toBe('live')
})

it('a folder is let go of when its run is closed, and waits for the user when only they can help', async () => {
  const { root, kept, run } = await begin('closed', 'told')
  const { device } = run({ idleMs: 3_000 })
  await there(root)
  expect(await following(root, '/closed').ended).toEqual({ is: 'run-closed' })
  expect(await following(root, '/told').ended).toMatchObject({ is: 'failed', message: 'Which?' })
  expect(kept.find('/closed')).toBeNull()
  expect(kept.find('/told')).toMatchObject({ is: 'failed', message: 'Which?', nextStep: 'Say.' })
  // Nothing is left to do.
  expect(await device).toBeNull()
})

it('a pause takes the folder from a thread that does not react, and every follower hears of it', async () => {
  const { root, kept, run, statuses } = await begin('deaf', 'good')
  run()
  await there(root)
  const { heard, ended } = following(root, '/deaf')
  await vi.waitFor(() => expect(heard.map(({ is }) => is)).toContain('progress'), soon)
  expect(kept.holder('/deaf')).toBe(process.pid)
  kept.set('/deaf', { is: 'paused', since: 2, words: [] })
  expect(await askDevice(root, { ask: 'settle', folder: '/deaf' }, 60_000)).not.toBeNull()
  expect(kept.holder('/deaf')).toBeNull()
  expect(await ended).toEqual({ is: 'paused' })
  expect(Object.keys((await statuses())!)).toEqual(['/good'])
})

it('a command that links a folder gives it flags for the first start only', async () => {
  const { root, kept, run } = await begin('once')
  const { at } = kept.state.find('/once')!
  kept.set('/once', { is: 'live', since: Date.now(), words: [] })
  const first = run()
  await there(root)
  const heard: string[] = []
  const request = { ask: 'link' as const, folder: '/once', run: { url, token: 't', at }, once: ['--mine'] }
  callDevice(root, request, LinkEvent, { heard: ({ is }) => void heard.push(is), ended() {} })
  await vi.waitFor(() => expect(heard).toEqual(['linked', 'progress', 'in-step']), soon)
  await first.end()
  expect(kept.holder('/once')).toBeNull()
  kept.set('/once', { is: 'live', since: 1, words: [] })
  run()
  await there(root)
  const again = following(root, '/once')
  await vi.waitFor(() => expect(again.heard.map(({ is }) => is)).toEqual(['linked', 'progress']), soon)
})
