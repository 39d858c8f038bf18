import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LinkProgress } from '@farhand/device/linked-folders/link-reports'
import type { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it } from 'vitest'
import { testContext } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { startLink } from './start-link.ts'

const at = { project: 'prj_1' as ProjectId, task: 'tsk_1' as TaskId, run: 'run_1' as RunId }

/** A link that does this instead. */
async function started(script: string, words: string[] = []) {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const context = testContext({
    self: [process.execPath, '-e', script, '--'],
    env: { ...process.env, FARHAND_URL: 'x' },
  })
  const progress: LinkProgress[] = []
  const state = new StateFolder(place)
  const onProgress = (how: LinkProgress) => void progress.push(how)
  const known = { url: 'http://127.0.0.1:9', token: 'its token', at, workspace }
  const link = startLink(known, { state, words, onProgress }, context)
  const said = () => readFileSync(path.join(state.placeOf(workspace), 'link.log'), 'utf8')
  return { ...link, progress, said, workspace, place }
}

const line = (told: unknown) => `console.log(${JSON.stringify(JSON.stringify(told))});`

it('a link in the background is heard until folder and run are the same, and ends with the run', async () => {
  const link = await started(
    line({ event: 'linked', device: 'dev_scripted1' }) +
      line({ event: 'progress', sent: 1, toSend: 2, applied: 0, toApply: 0 }) +
      line({ event: 'ready', files: 3 }),
  )
  expect(await link.device).toBe('dev_scripted1')
  expect(await link.inStep).toEqual({ files: 3 })
  expect(link.progress).toMatchObject([{ sent: 1, toSend: 2 }])
  expect(await link.ended).toBeNull()
})

it('is told which run it is for, has the token where nobody else can read it, and no settings of ours', async () => {
  const link = await started(
    'console.log(process.argv.slice(1).join(" "), process.env.FARHAND_TOKEN, process.env.FARHAND_URL)',
    ['--mine'],
  )
  await link.ended
  expect(link.said()).toMatch(/^link .* --run prj_1\/tsk_1\/run_1 .*--mine its token undefined\n$/)
})

it('that ends before it was in step says why, with what to do about it', async () => {
  const failed = { event: 'error', code: 'mustAsk', exit: 5, message: 'Which one?', nextStep: 'Say --mine.' }
  const link = await started(`${line(failed)}console.error("in words");process.exitCode=5`)
  await expect(link.inStep).rejects.toMatchObject({
    exit: 'mustAsk',
    message: 'Which one?',
    nextStep: 'Say --mine.',
  })
  expect(await link.ended).toMatchObject({ message: 'Which one?' })
  const plain = await started('console.error("no hub there");process.exitCode=1')
  expect(await plain.ended).toMatchObject({ exit: 'failed', message: 'no hub there' })
  const killed = await started('process.kill(process.pid,"SIGKILL")')
  expect((await killed.ended)?.message).toMatch(/was killed \(SIGKILL\)/)
})

it('begins what it says anew, so that it does not grow for ever', async () => {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const state = new StateFolder(place)
  mkdirSync(state.placeOf(workspace), { recursive: true })
  const context = testContext({
    self: [process.execPath, '-e', 'console.log("once")', '--'],
    env: process.env,
  })
  const known = { url: 'http://127.0.0.1:9', token: 't', at, workspace }
  for (const _ of [1, 2]) await startLink(known, { state }, context).ended
  expect(readFileSync(path.join(state.placeOf(workspace), 'link.log'), 'utf8')).toBe('once\n')
})

it('is heard to its end when somebody starts a second one at the same moment, which finds the folder taken', async () => {
  const [workspace, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const state = new StateFolder(place)
  const known = { url: 'http://127.0.0.1:9', token: 't', at, workspace }
  const begin = (script: string) =>
    startLink(
      known,
      { state },
      testContext({ self: [process.execPath, '-e', script, '--'], env: process.env }),
    )
  const waits = `setTimeout(() => process.exit(9), 20_000).unref()
  const look = setInterval(() => {
    if (!require('node:fs').existsSync('go')) return
    clearInterval(look);${line({ event: 'ready', files: 3 })}
  }, 10);`
  const first = begin(line({ event: 'linked', device: 'dev_scripted1' }) + waits)
  await first.device
  const taken = { event: 'error', code: 'folderTaken', exit: 3, message: 'Taken.', nextStep: 'x' }
  expect(await begin(`${line(taken)}process.exitCode=3`).ended).toMatchObject({ message: 'Taken.' })
  writeFileSync(path.join(place, 'go'), '')
  expect(await first.inStep).toEqual({ files: 3 })
})

it('that has nowhere left to say anything, as its state folder is gone, ends like one that says nothing', async () => {
  const link = await started(
    'setInterval(() => require("node:fs").existsSync("links") || process.exit(1), 10)',
  )
  rmSync(link.place, { recursive: true })
  expect(await link.ended).toMatchObject({ message: expect.stringMatching(/has ended with exit code 1/) })
})
