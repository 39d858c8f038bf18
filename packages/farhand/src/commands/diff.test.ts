import { realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { type HubHere, hubHere } from './local-hub/hub-here-under-test.ts'
import { RunOfFiles } from './pull/run-of-files-under-test.ts'

let hub: HubHere
let run: RunOfFiles
let folder: string
let access: string[]

beforeAll(async () => {
  const here = await hubHere()
  hub = here.hub
  return here.stop
})

beforeEach(async () => {
  run = await RunOfFiles.begin(hub)
  folder = await realpath(await temporaryFolder())
  access = ['--hub', hub.url, '--token', hub.token, '--state', await temporaryFolder()]
})

const diff = async (...words: string[]) => (await runHere(['diff', ...words, ...access], { cwd: folder })).out
const write = (name: string, text: string) => writeFile(path.join(folder, name), text)

describe('farhand diff', () => {
  it('shows what the folder and the run have of their own, and nothing of what is ignored', async () => {
    await run.write('both.txt', 'one\ntwo\n')
    await run.write('theirs.txt', 'new\n')
    await write('both.txt', 'one\n2\n')
    await write('mine.txt', 'only here\n')
    await write('.gitignore', '*.log\n.gitignore\n')
    await write('a.log', 'x')
    expect(await diff(run.at.run)).toBe(
      '--- here/both.txt\n+++ run/both.txt\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n' +
        '--- here/mine.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-only here\n' +
        '--- /dev/null\n+++ run/theirs.txt\n@@ -0,0 +1,1 @@\n+new\n',
    )
    expect(await diff(run.at.run, '--name-only')).toBe('both.txt\nmine.txt\ntheirs.txt\n')
    expect(await diff(run.at.run, 'mine.txt', '--stat')).toBe(
      ' mine.txt     +0     -1  -\n 1 file differs, +0 -1\n',
    )
    const [first] = (await diff(run.at.run, '--json')).split('\n')
    expect(JSON.parse(first!)).toMatchObject({ path: 'both.txt', is: 'changed', added: 1, removed: 1 })
    await expect(diff(run.at.run, '--exit-code')).rejects.toMatchObject({ exit: 'failed' })
  })

  it('finds nothing between a run and a folder that it was pulled into', async () => {
    await run.write('a', 'one')
    await runHere(['pull', run.at.run, ...access], { cwd: folder })
    expect(await diff('--exit-code')).toBe(`No difference to ${runInWords(run.at.run)}.\n`)
  })

  it('refuses a folder that has no file of the run, and names the one that has its files', async () => {
    await run.write('theirs.txt', 'new\n')
    await write('mine.txt', 'only here\n')
    const refusal = async () => await diff(run.at.run).catch((error: unknown) => error)
    expect(await refusal()).toMatchObject({
      exit: 'usage',
      message: `${folder} and ${runInWords(run.at.run)} have no file in common.`,
      nextStep: expect.stringContaining(`npx farhand pull ${runInWords(run.at.run)}`),
    })
    const linked = await realpath(await temporaryFolder())
    const state = new StateFolder(access.at(-1)!)
    const link = { folder: linked, url: hub.url, token: hub.token, at: run.at, generations: [] }
    state.save({ ...link, wins: 'disk', device: newId(DeviceId, 'dev') })
    expect(await refusal()).toMatchObject({ nextStep: expect.stringContaining(linked) })
  })

  it('compares a run with itself, from one event to another or to now', async () => {
    const first = await run.write('a', 'one\n')
    const second = await run.write('a', 'two\n')
    await run.write('b', 'three\n')
    const stat = (...words: string[]) => diff(run.at.run, '--name-only', ...words)
    expect(await stat('--from', String(first))).toBe('a\nb\n')
    expect(await stat('--from', String(first), '--to', String(second))).toBe('a\n')
    expect(await stat('--from', String(second), 'b')).toBe('b\n')
    expect(await diff(run.at.run, '--from', '0', '--to', String(first))).toContain(`+++ @${first}/a\n`)
    await expect(stat('--from', '999')).rejects.toMatchObject({ exit: 'usage' })
    await expect(stat('--to', '1')).rejects.toMatchObject({ exit: 'usage' })
  })
})
