import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { askDevice } from '@farhand/device/device-process/call-device'
import { runDevice } from '@farhand/device/device-process/run-device'
import { type LinkProgress, startBackgroundLink } from '@farhand/device/linked-folders/background-link'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { version } from '../../context/version.ts'
import { removeFolder, temporaryFolder } from '../../farhand-under-test.ts'
import { startLink } from './start-link.ts'

const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }
const soon = { timeout: 60_000 }
const known = (workspace: string) => ({ url: 'http://127.0.0.1:9', token: 'its token', at, workspace })

/** A device process whose threads do this when they are told to link a folder. */
async function device(place: string, script: string) {
  const over = new AbortController()
  const gaveUp = () => ({ message: 'given up', nextStep: '', exit: 'failed' })
  const program = `
    const { parentPort: port, workerData: { beat } } = require('node:worker_threads')
    setInterval(() => Atomics.add(new Int32Array(beat), 0, 1), 20).unref()
    const tell = (message) => port.postMessage(message)
    const end = (end) => { tell({ is: 'ended', end }); port.close() }
    port.on('message', (start) => { if (start.is === 'stop') return end({ is: 'stopped' }); ${script} })`
  const ended = runDevice({
    kept: new BackgroundLinks(new StateFolder(place)),
    version,
    signal: over.signal,
    threads: { program, startedFrom: import.meta.url, context: null },
    words: { gaveUp, taken: gaveUp },
    log() {},
  })
  const end = async () => {
    over.abort()
    await ended
  }
  onTestFinished(end)
  await vi.waitFor(async () => expect(await askDevice(place, { ask: 'hello' })).not.toBeNull(), soon)
  return { end }
}

/** A link whose thread does this instead. */
async function started(script: string, words: string[] = []) {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const { end } = await device(place, script)
  const progress: LinkProgress[] = []
  const state = new StateFolder(place)
  const onProgress = (how: LinkProgress) => void progress.push(how)
  const link = startLink(known(workspace), { state, words, onProgress }, testContext())
  return { ...link, progress, workspace, place, end }
}

const linked = `tell({ is: 'linked', device: 'dev_scripted1' });`
const inStep = `tell({ is: 'in-step', files: 3 });`

it('a link in the background is heard until folder and run are the same, and ends with the run', async () => {
  const link = await started(
    `${linked} tell({ is: 'progress', sent: 1, toSend: 2 }); ${inStep} end({ is: 'run-closed' })`,
  )
  expect(await link.device).toBe('dev_scripted1')
  expect(await link.inStep).toEqual({ files: 3 })
  expect(link.progress).toMatchObject([{ sent: 1, toSend: 2 }])
  expect(await link.ended).toBeNull()
})

it('a folder that was linked to another run has its new run saved before its thread is there, which may die first', async () => {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const state = new StateFolder(place)
  const before = { ...at, run: newId(RunId, 'run') }
  const link = { folder: workspace, url: 'http://127.0.0.1:9', token: 'its token', wins: 'disk' as const }
  state.save({ ...link, at: before, device: newId(DeviceId, 'dev'), generations: [] })
  const saved: unknown[] = []
  const ensureDevice = async () => {
    saved.push(state.find(workspace)?.at.run)
    return null
  }
  const whyEnded = ({ is }: { is: string }) => is
  const { ended } = startBackgroundLink(known(workspace), { state, ensureDevice, whyEnded })
  expect([await ended, saved]).toEqual(['not-started', [at.run]])
})

it('is told which run it is for, and its token, which is in no argument of a process', async () => {
  const link = await started(
    `end({ is: 'failed', exit: 'failed', message: JSON.stringify(start), nextStep: '' })`,
    ['--mine'],
  )
  const { message } = (await link.ended)!
  const run = { url: 'http://127.0.0.1:9', token: 'its token', at }
  expect(JSON.parse(message)).toEqual({ is: 'start', folder: link.workspace, run, words: ['--mine'] })
})

it('a device process is started without the settings and tokens of the command that needs it', async () => {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const script = `console.log(process.argv.slice(1).join(' '), process.env.FARHAND_TOKEN, process.env.FARHAND_URL)`
  const context = testContext({
    self: [process.execPath, '-e', script, '--'],
    env: { ...process.env, FARHAND_TOKEN: 'x', FARHAND_URL: 'x' },
  })
  const { ended } = startLink(known(workspace), { state: new StateFolder(place) }, context)
  expect((await ended)?.message).toMatch(/could not be linked/)
  const log = readFileSync(path.join(place, 'daemon/daemon.log'), 'utf8')
  expect(log).toBe(`device --state ${place} undefined undefined\n`)
})

it('that ends before it was in step says why, with what to do about it', async () => {
  const link = await started(
    `${linked} end({ is: 'failed', exit: 'mustAsk', message: 'Which one?', nextStep: 'Say --mine.' })`,
  )
  await expect(link.inStep).rejects.toMatchObject({
    exit: 'mustAsk',
    message: 'Which one?',
    nextStep: 'Say --mine.',
  })
  expect(await link.ended).toMatchObject({ message: 'Which one?' })
})

it('says so if its thread dies before it is linked, instead of leaving the command to wait', async () => {
  const link = await started(`process.exit(1)`)
  expect((await link.ended)?.message).toBe('given up')
})

it('goes on with the next device process when that which had it has ended', async () => {
  const link = await started(linked)
  const { url, token } = known(link.workspace)
  const about = { folder: link.workspace, url, token, at, wins: 'disk' as const, generations: [] }
  new StateFolder(link.place).save({ ...about, device: await link.device })
  await link.end()
  // The next one finds on disk what is wanted, once the command had its time to ask for it.
  await device(link.place, `${linked} ${inStep} end({ is: 'run-closed' })`)
  expect(await link.ended).toBeNull()
})

it('of a folder that two commands link at the same moment is one link, which both hear to its end', async () => {
  const first = await started(`
    if (globalThis.isBegun) throw new Error('it is linked twice')
    globalThis.isBegun = true
    ${linked}
    const look = setInterval(() => {
      if (!require('node:fs').existsSync(start.folder + '/go')) return
      clearInterval(look)
      ${inStep} end({ is: 'run-closed' })
    }, 10)`)
  const second = startLink(known(first.workspace), { state: new StateFolder(first.place) }, testContext())
  expect(await Promise.all([first.device, second.device])).toEqual(['dev_scripted1', 'dev_scripted1'])
  await writeFile(path.join(first.workspace, 'go'), '')
  expect(await Promise.all([first.inStep, second.inStep])).toEqual([{ files: 3 }, { files: 3 }])
  expect(await Promise.all([first.ended, second.ended])).toEqual([null, null])
})

it('ends with an error if its state folder is removed, and does not bring that back', async () => {
  const link = await started(linked)
  await link.device
  await removeFolder(link.place)
  expect(await link.ended).toMatchObject({
    message: `${link.workspace} is not linked on this computer any more.`,
  })
  expect(existsSync(link.place)).toBe(false)
})
