import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { command } from '@farhand/testkit/program-process'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BackgroundLinks } from './background-links.ts'
import { askDevice } from './call-device.ts'
import type { DeviceAnswer } from './device-protocol.ts'
import { type EnsureDeviceOptions, ensureDevice } from './ensure-device.ts'
import { runDevice } from './run-device.ts'

/** A state folder with something to keep, which whoever wanted it is about to start: a device process has to stay for it. */
async function somethingToKeep(folder: string) {
  const root = path.join(await mkdtemp(path.join(tmpdir(), 'farhand-device-')), folder)
  onTestFinished(async () => {
    // Of two that were started one leaves the place to the other, and may only be about to find that out.
    await vi.waitFor(() => expect(devicesOf(root).map(killIfThere)).toEqual([]), 60_000)
    await rm(path.dirname(root), { recursive: true, force: true, maxRetries: 10 })
  })
  const state = new StateFolder(root)
  const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }
  const link = { url: 'http://127.0.0.1:9', token: 't', at, wins: 'disk' as const, generations: [] }
  state.save({ folder: '/nowhere', device: newId(DeviceId, 'dev'), ...link })
  const kept = new BackgroundLinks(state)
  kept.set('/nowhere', { is: 'live', since: Date.now(), words: [] })
  return { root, kept }
}

/** The processes that were started to keep this state folder. */
function devicesOf(root: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wordsOf(name).includes(root))
    .map(Number)
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    // It has ended since.
    return []
  }
}

const never = () => {
  throw new Error('nothing is to be started')
}
const parts = {
  threads: { program: '', source: async () => never(), startedFrom: import.meta.url, context: null },
  words: { gaveUp: never, taken: never },
  log() {},
}

function deviceHere(kept: BackgroundLinks, version: string) {
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const device = runDevice({ ...parts, kept, version, signal: over.signal })
  return { device, over }
}

/** The device process that is not this one; a command does not wait long for it, but the next one gets it. */
async function another(wanted: EnsureDeviceOptions): Promise<DeviceAnswer> {
  for (;;) {
    const says = await ensureDevice(wanted)
    if (says && says.pid !== process.pid) return says
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has found nothing to keep by now.
  }
}

const self = [process.execPath, command] as const
const { env } = process

it('an older device process gives way to a newer one, a newer one does not, and two commands that start one get the same', async () => {
  const { root, kept } = await somethingToKeep('state')
  const { device } = deviceHere(kept, '0.0.9')
  await vi.waitFor(
    async () => expect(await askDevice(root, { ask: 'hello' })).toMatchObject({ version: '0.0.9' }),
    60_000,
  )
  const replaced: string[] = []
  const onReplaced = ({ version }: { version: string }) => void replaced.push(version)
  const wanted = { state: root, version: '0.1.0', self, env, onReplaced }
  const [one, other] = await Promise.all([another(wanted), another(wanted)])
  onTestFinished(() => killIfThere(one.pid))
  expect(await device).toBeNull()
  expect(other.pid).toBe(one.pid)
  expect(replaced).toContain('0.0.9')
  expect(await another({ ...wanted, version: '0.0.9' })).toMatchObject({ pid: one.pid })
})

it('a device process that cannot start a thread goes on and tries again', async () => {
  const { root, kept } = await somethingToKeep('state')
  kept.set('/nowhere', { is: 'live', since: 0, words: [] })
  const { device, over } = deviceHere(kept, '0.1.0')
  const deaths = async () => (await askDevice(root, { ask: 'hello' }))?.deaths['/nowhere']?.count
  await vi.waitFor(async () => expect(await deaths()).toBeGreaterThanOrEqual(2), { timeout: 60_000 })
  over.abort()
  expect(await device).toBeNull()
})

it('a device process whose state folder is removed while it starts does not bring it back', async () => {
  const { root, kept } = await somethingToKeep('state')
  await rm(root, { recursive: true })
  const { signal } = new AbortController()
  expect(await runDevice({ ...parts, kept, version: '0.1.0', signal, idleMs: 0 })).toBeNull()
  expect(existsSync(root)).toBe(false)
})

it('a device process answers wherever its state folder is, and one that cannot be started is not waited for', async () => {
  const { root, kept } = await somethingToKeep('long'.repeat(40))
  const { device, over } = deviceHere(kept, '0.1.0')
  await vi.waitFor(
    async () => expect(await askDevice(root, { ask: 'look' })).toMatchObject({ pid: process.pid }),
    60_000,
  )
  expect(await runDevice({ ...parts, kept, version: '9', signal: over.signal })).toEqual({
    holder: process.pid,
  })
  over.abort()
  expect(await device).toBeNull()
  expect(await askDevice(root, { ask: 'hello' })).toBeNull()
  const broken = [process.execPath, '-e', 'process.exitCode = 1', '--'] as const
  expect(await ensureDevice({ state: root, version: '0.1.0', self: broken, env })).toBeNull()
})
