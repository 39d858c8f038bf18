import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { CommandContext } from '../context/command-context.ts'
import { runHere } from '../context/command-context-under-test.ts'
import { farhandBin, temporaryFolder } from '../farhand-under-test.ts'
import { RunUnderTest } from './run/run-under-test.ts'

/** A user on a machine with this state, in this folder. */
function userIn({ hub }: RunUnderTest, state: string, cwd: string) {
  const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
  const env = { PATH: process.env.PATH, HOME: state }
  return (words: string[], more: Partial<CommandContext> = {}) =>
    runHere([...words, ...access], { cwd, env, self: [process.execPath, farhandBin], ...more })
}

const told = (out: string, event: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find((line) => line.event === event)

it('comes back to the run of a folder and tells what has happened since', async () => {
  const under = await RunUnderTest.begin()
  const begun = await under.run('say one', '--detach').all()
  const run = begun.lines[0]!
  const inside = path.join(under.folder, 'inside')
  mkdirSync(inside)
  const call = userIn(under, under.state, inside)
  const first = await call(['attach', '--json'])
  expect(told(first.out, 'run')).toMatchObject({ run, isNew: false })
  expect(told(first.out, 'since')).toBeUndefined()
  expect((await call(['send', run, 'write two.txt with "2". ask "Why?"', '--json'])).code).toBe(0)
  await vi.waitFor(async () => expect((await call(['status', run])).out).toContain('Why?'), {
    timeout: 30_000,
  })
  // What was written is on its way when the agent goes on to ask.
  await vi.waitFor(
    async () => expect((await call(['history', 'two.txt', '--run', run])).out).toContain('@'),
    {
      timeout: 30_000,
    },
  )
  const again = await call(['attach', run.slice(0, 14), '--detach', 'say more', '--json'])
  expect(told(again.out, 'since')).toBeUndefined()
  await call(['answer', run, 'because', '--json'])
  const second = await call(['attach'])
  expect(second.notes).toMatch(
    /Since you looked last \(.*\): 2 messages, .*1 file changed \(two\.txt\), 1 question\./,
  )
  // A hub whose data is of a backup has fewer events than the user has looked at before.
  writeFileSync(path.join(under.state, 'looked', run), '99999')
  const restored = await call(['attach', '--json'])
  expect([told(restored.out, 'since'), told(restored.out, 'ended')]).toMatchObject([undefined, { run }])
  // A command without a run means this one.
  expect((await call(['close'])).notes).toContain(`${runInWords(run)} is closed.`)
  await expect(call(['attach'])).rejects.toMatchObject({
    exit: 'usage',
    message: 'No run is open.',
    nextStep: expect.stringContaining(`attach ${runInWords(run)} "..."`),
  })
}, 120_000)

it('on another machine offers the empty folder one is in, and asks which run where several are open', async () => {
  const under = await RunUnderTest.begin()
  const begun = await under.run('write a.txt with "from afar"', '--sandbox', 'process', '--detach').all()
  const run = begun.lines[0]!
  const [state, folder] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const call = userIn(under, state, folder)
  const free = async () => {
    for (const [place, of] of [
      [under.folder, under.state],
      [folder, state],
    ] as const)
      await vi.waitFor(() => expect(folderHolder(new StateFolder(of), place)).toBeNull(), { timeout: 30_000 })
  }
  onTestFinished(async () => {
    await call(['close', run])
    await free()
  })
  const asked: string[] = []
  const seen: string[] = []
  // They leave as soon as they are shown the turn.
  async function* lines() {
    await vi.waitFor(() => expect(seen.join('')).toContain('a.txt'), { timeout: 30_000 })
    yield '/detach'
  }
  const ask = async (question: string) => {
    asked.push(question)
    return 'y'
  }
  await call(['attach'], { ask, lines, out: (text) => seen.push(text), note: (text) => seen.push(text) })
  expect(asked).toEqual([`${folder} is empty. Keep it in sync with ${runInWords(begun.lines[0]!)}? [y/N] `])
  const text = () => readFile(path.join(folder, 'a.txt'), 'utf8')
  await vi.waitFor(async () => expect(await text()).toBe('from afar'), { timeout: 30_000 })

  const project = await createProject(under.hub, { name: 'other' })
  const task = await createTask(under.hub, project.id, { title: 'other' })
  await createRun(under.hub, project.id, task.id, { sandbox: 'none' })
  const elsewhere = userIn(under, await temporaryFolder(), await temporaryFolder())
  await expect(elsewhere(['attach', '--json'])).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringMatching(/^Which run\? 2 are open: run_/),
  })
  await expect(elsewhere(['attach'], { ask: async () => 'q' })).rejects.toThrow('No run was chosen')
}, 150_000)
