import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { pathFrom } from '@farhand/device/find-run/run-paths'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { entryInWords } from './history.ts'
import { hubHere } from './local-hub/hub-here-under-test.ts'

let hub: Hub
let at: RunAddress
let state: StateFolder
let folder: string

beforeEach(async () => {
  const here = await hubHere()
  onTestFinished(here.stop)
  hub = here.hub
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 't' })
  at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  state = new StateFolder(await temporaryFolder())
  folder = await realpath(await temporaryFolder())
  await mkdir(path.join(folder, 'src'))
  state.save({
    folder,
    url: hub.url,
    token: hub.token!,
    at,
    wins: 'disk',
    device: newId(DeviceId, 'dev'),
    generations: [],
  })
})

async function write(name: string, text: string | null, was: string | null = null): Promise<number> {
  const entry = async (content: string) => ({
    hash: await hashOf(new TextEncoder().encode(content)),
    mode: '100644',
  })
  const bytes = new TextEncoder().encode(text ?? '')
  const file = text === null ? null : await entry(text)
  if (file) await uploadBlobs(hub, at, [{ hash: file.hash, size: bytes.length, open: () => bytes }])
  const what = file ? { action: 'modified', ...file, size: bytes.length } : { action: 'deleted' }
  const params = { path: name, ...what, was: was === null ? null : await entry(was) }
  const device = { ...hub, deviceId: 'dev_elsewhere' }
  return (await post(device, at, { jsonrpc: '2.0', method: '_posthog/file_sync', params })).lastEventId
}

/** What was written is one step however slow this machine is: a pause of two seconds would make it two. */
function withoutPause(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
}

const inside = (...args: string[]) =>
  runHere([...args, '--state', state.root], { cwd: path.join(folder, 'src') })
const lines = (text: string) => text.trim().split('\n')

describe('in a linked folder', () => {
  it('history lists the versions of a path that is named from where one stands', async () => {
    const one = await write('src/a.txt', 'one')
    const two = await write('src/a.txt', 'two!', 'one')
    const { out } = await inside('history', 'a.txt')
    expect(lines(out)).toEqual([
      'src/a.txt',
      `  1  @${two}  just now  current   4 bytes  +1 -1  a computer of yours (dev_elsewhere)`,
      `  2  @${one}  just now  replaced  3 bytes  +1 -0  a computer of yours (dev_elsewhere)`,
      `Put one back: npx farhand restore a.txt 2 --state ${state.root}`,
      'With --show it only shows what that would change.',
    ])
    const start = {
      jsonrpc: '2.0' as const,
      method: '_posthog/device_start',
      params: { name: 'website on desk' },
    }
    await post({ ...hub, deviceId: 'dev_elsewhere' }, at, start)
    expect((await inside('history', 'a.txt')).out).toMatch(/ current +4 bytes +\+1 -1 {2}website on desk\n/)
    const told = lines((await inside('history', '../src/a.txt', '--json')).out).map((line) =>
      JSON.parse(line),
    )
    expect(told).toMatchObject([
      { path: 'src/a.txt', eventId: two, state: 'current', mode: '100644', size: 4 },
      { eventId: one, state: 'replaced', by: { kind: 'device', id: 'dev_elsewhere' } },
    ])
  })

  it('history shows a size or nothing, never a hash', async () => {
    const one = await write('a.txt', 'one')
    const hash = await hashOf(new TextEncoder().encode('one'))
    const again = { path: 'a.txt', action: 'modified', hash, mode: '100755', was: { hash, mode: '100644' } }
    await post(hub, at, { jsonrpc: '2.0', method: '_posthog/file_sync', params: again })
    const { out } = await inside('history', '../a.txt')
    expect(out).toMatch(/current +3 bytes, to run /)
    expect(entryInWords({ entry: { hash, mode: '100644' }, size: null })).toBe('')
    expect(out).toContain(`@${one}`)
  })

  it('history tells apart what is ignored, a folder, what was not sent, and what is not there', async () => {
    for (const name of ['src/a.txt', 'src/b.txt']) await write(name, 'one')
    await writeFile(path.join(folder, '.gitignore'), '*.log\n')
    for (const name of ['x.log', 'new.txt']) await writeFile(path.join(folder, name), 'x')
    await mkdir(path.join(folder, 'empty'))
    const says = async (name: string) => inside('history', name).catch((error: Error) => error.message)
    expect([
      await says('../x.log'),
      await says('../empty'),
      await says('../src'),
      await says('../new.txt'),
    ]).toEqual([
      'x.log is ignored by .gitignore.',
      'empty is a folder; only files have a history.',
      'src is a folder; only files have a history: src/a.txt, src/b.txt.',
      'new.txt has not been sent to the run.',
    ])
    const near = 'Did you mean src/a.txt, src/b.txt?'
    expect(await says('a.tx')).toBe(`File not found in this run: src/a.tx. ${near}`)
    expect(await says('..')).toMatch(/^\.\. is the linked folder itself/)
  })

  it('names in hints are shown like those in lists: none of them moves the cursor', async () => {
    const name = 'src/a\u001b[2J.txt'
    const shown = '"src/a\\u001b[2J.txt"'
    await write(name, 'one')
    const says = async (...args: string[]) => inside(...args).catch((error: Error) => error.message)
    const near = `Did you mean ${shown}?`
    expect(await says('history', 'a[2J.txt')).toContain(near)
    expect(await says('restore', 'a[2J.txt@1')).toContain(near)
    expect(await says('history', '../src')).toBe(`src is a folder; only files have a history: ${shown}.`)
    expect(await says('restore', 'a\u001b[2J.txt@999')).toMatch(/^"src\/a\\u001b\[2J\.txt" has no version/)
    await mkdir(path.join(folder, 'empty'))
    await writeFile(path.join(folder, 'empty', 'b\n'), 'x')
    expect(await says('history', '../empty')).toBe(
      'empty is a folder; only files have a history: "empty/b\\n".',
    )
  })

  it('history and restore also work for a file whose folder is gone', async () => {
    const one = await write('gone/deep/a.txt', 'one')
    await write('gone/deep/a.txt', null, 'one')
    expect((await inside('history', '../gone/deep/a.txt')).out).toContain('no file')
    const { out } = await inside('restore', `../gone/deep/a.txt@${one}`)
    expect(out).toMatch(/^gone\/deep\/a\.txt is again the version from just now \(3 bytes\)\.\n$/)
  })

  it('history says `deleted` of the event that deleted the file, also after it came back', async () => {
    const one = await write('src/a.txt', 'one')
    const gone = await write('src/a.txt', null, 'one')
    const rows = async () => lines((await inside('history', 'a.txt')).out)
    const row = (event: number, word: string, what: string) =>
      expect.stringMatching(new RegExp(`^ +\\d +@${event} .* ${word} +${what} `))
    expect((await rows()).slice(1, 3)).toEqual([
      row(gone, 'deleted', 'no file'),
      row(one, 'replaced', '3 bytes'),
    ])
    const two = await write('src/a.txt', 'two!')
    expect((await rows()).slice(1, 4)).toEqual([
      row(two, 'current', '4 bytes'),
      row(gone, 'deleted', 'no file'),
      row(one, 'replaced', '3 bytes'),
    ])
    const told = lines((await inside('history', 'a.txt', '--json')).out).map((line) => JSON.parse(line).state)
    expect(told).toEqual(['current', 'replaced', 'deleted'])
  })

  it('undo to an event that is not in the log is refused, as a version that is not there', async () => {
    const one = await write('src/a.txt', 'one')
    await expect(inside('undo', '--to', '99999')).rejects.toMatchObject({
      exit: 'usage',
      message: `There is no event 99999: the newest of this run is ${one}.`,
    })
    expect((await inside('undo', '--to', String(one))).out).toBe('There is nothing to undo.\n')
  })

  it('what is advised about a path that is not there is true of a path in a linked folder', async () => {
    await write('src/a.txt', 'one')
    const next = `It was looked for in the run of ${folder}, as src/zzz.txt.`
    const absolute = path.join(folder, 'src/zzz.txt')
    await expect(inside('history', absolute)).rejects.toMatchObject({ exit: 'usage', nextStep: next })
    await expect(inside('restore', 'zzz.txt@1')).rejects.toMatchObject({ exit: 'usage', nextStep: next })
    const named = ['--run', at.run, '--hub', hub.url, '--token', hub.token!, '--state', state.root]
    await expect(runHere(['history', 'zzz.txt', ...named])).rejects.toMatchObject({
      nextStep: 'Paths are those of the run, from its top folder.',
    })
  })

  it('restore of what is no version advises the history of the file', async () => {
    const advice = (given: string): Promise<string[]> =>
      inside('restore', given).then(
        () => [],
        (error: Error & { nextStep: string }) => [error.message, error.nextStep],
      )
    const place = `--state ${state.root}`
    expect(await advice('a.txt@zz')).toEqual([
      'zz is not a version of a.txt. A version is a number of its history, or @ and an event.',
      `\`npx farhand history a.txt ${place}\` lists them.`,
    ])
    expect((await advice('icon@2x.png'))[1]).toContain('history icon@2x.png ')
    await writeFile(path.join(folder, 'src/b@old'), '')
    expect((await advice('b@old'))[1]).toContain('history b@old ')
  })

  it('restore puts a version back and says how to have the other again', async () => {
    const one = await write('src/a@b.txt', 'one')
    const two = await write('src/a@b.txt', 'two', 'one')
    const { out } = await inside('restore', `a@b.txt@${one}`)
    expect(out).toContain(`What it replaced stays too: npx farhand restore a@b.txt@${two}`)
    const again = JSON.parse((await inside('restore', `a@b.txt@${one}`, '--json')).out)
    expect(again).toMatchObject({ path: 'src/a@b.txt', restored: one, eventId: null })
  })

  it('restore takes the number that history shows, or an event, and shows first what it would change', async () => {
    const one = await write('src/a.txt', 'one\n')
    await write('src/a.txt', 'two\n', 'one\n')
    const shown = `--- now/src/a.txt\n+++ @${one}/src/a.txt\n@@ -1,1 +1,1 @@\n-two\n+one\n`
    expect((await inside('restore', 'a.txt', '2', '--show')).out).toBe(shown)
    expect((await inside('restore', 'a.txt', `@${one}`, '--show')).out).toBe(shown)
    expect((await inside('restore', 'a.txt', '1', '--show')).out).toBe(
      'src/a.txt is at that version already.\n',
    )
    expect((await inside('restore', 'a.txt', '2', '--json')).out).toContain(`"restored":${one}`)
    await expect(inside('restore', 'a.txt', '7')).rejects.toMatchObject({
      exit: 'usage',
      message: 'a.txt has no version 7: there are 3.',
    })
    await expect(inside('restore', 'a.txt', 'old')).rejects.toThrow('old is not a version of a.txt.')
  })

  it('restore without a version shows all of them to a user at a terminal, and asks', async () => {
    await write('src/a.txt', 'one\n')
    await write('src/a.txt', 'two\n', 'one\n')
    const answers = ['9', '2']
    const cwd = path.join(folder, 'src')
    const ask = async () => answers.shift() ?? ''
    const { out, notes } = await runHere(['restore', 'a.txt', '--state', state.root], { cwd, ask })
    expect(notes).toMatch(/^ {2}1 .* current .*\n {2}2 .* replaced /)
    expect(out).toContain('src/a.txt is again the version from just now (4 bytes).')
    const none = runHere(['restore', 'a.txt', '--state', state.root], { cwd, ask })
    await expect(none).rejects.toMatchObject({ exit: 'mustAsk', message: 'Nothing was changed.' })
  })

  it('undo shows line by line what it would do, and does not do it', async () => {
    await write('src/a.txt', 'one\n')
    const shown = '--- now/src/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n'
    for (const _ of [1, 2]) expect((await inside('undo', '--show')).out).toContain(shown)
  })

  it('undo shows what it does, does nothing when it shall only show it, and goes on to the step before', async () => {
    await write('src/a.txt', 'one')
    expect((await inside('undo', '--dry-run')).out).toMatch(
      /^What was done just now by a computer of yours .*\n {2}delete +src\/a\.txt\n$/,
    )
    expect((await inside('undo')).out).toMatch(
      /1 file deleted\. To undo this: npx farhand undo --state \S+ --to 1\n$/,
    )
    expect((await inside('undo')).out).toBe('There is nothing to undo.\n')
    expect(JSON.parse((await inside('undo', '--to', '1', '--json')).out)).toMatchObject({
      back: [{ path: 'src/a.txt', from: null, to: { mode: '100644' } }],
      leftAlone: [],
      dryRun: false,
    })
  })

  it('undo asks before it deletes most of what there is', async () => {
    withoutPause()
    for (const name of ['a', 'b']) await write(name, name)
    const asked: string[] = []
    const refused = runHere(['undo', '--state', state.root], {
      cwd: folder,
      ask: async (question) => {
        asked.push(question)
        return 'n'
      },
    })
    const again = `npx farhand undo --state ${state.root}`
    await expect(refused).rejects.toMatchObject({
      exit: 'mustAsk',
      nextStep: `Nothing was changed. \`${again} --yes\` goes on, \`${again} --dry-run\` only looks.`,
    })
    expect(asked).toEqual(['This deletes all 2 files of the run, perhaps those it began with. Go on? [y/N] '])
    expect((await inside('undo', '--yes')).out).toContain('2 files deleted.')
  })
})

describe('elsewhere', () => {
  const outside = (...args: string[]) =>
    runHere([...args, '--state', state.root], { env: { FARHAND_TOKEN: hub.token!, FARHAND_URL: hub.url } })

  it('a path finds its linked folder, absolute or from where one stands, and so do the hints', async () => {
    const one = await write('src/a.txt', 'one')
    const two = await write('src/a.txt', 'two', 'one')
    const file = path.join(folder, 'src/a.txt')
    const ask = (cwd: string, ...args: string[]) => runHere([...args, '--state', state.root], { cwd })
    expect((await ask('/', 'history', file)).out).toContain(
      `npx farhand restore ${file} 2 --state ${state.root}\n`,
    )
    const way = path.relative(state.root, file)
    expect((await ask(state.root, 'restore', `${way}@${one}`)).out).toContain(
      `restore ${way}@${two} --state `,
    )
    expect((await ask('/', 'undo', folder)).out).toContain(
      `1 file changed back. To undo this: npx farhand undo ${folder} --state ${state.root} --to `,
    )
    expect(pathFrom('/', { folder }, 'src/a.txt')).toBe(file)
    expect(pathFrom(path.join(folder, 'src'), { folder }, 'src/a.txt')).toBe('a.txt')
  })

  it('a command that is suggested works when it is copied: the run, its hub and the state folder are in it', async () => {
    withoutPause()
    for (const name of ['a', 'b', 'c']) await write(name, name)
    const { run } = at
    const signIn = `${hub.url}/#token=${hub.token}`
    const asked = runHere(['undo', '--run', run, '--hub', signIn, '--state', state.root])
    const trouble = (await asked.catch((error) => error)) as Error & { nextStep: string }
    const again = `npx farhand undo --run ${run} --hub ${hub.url} --state ${state.root} --token ...`
    expect(trouble.nextStep).toContain(`\`${again} --yes\` goes on`)
    expect(trouble.nextStep).not.toContain(hub.token)
    const [, words = ''] = /`npx farhand (undo .* --yes)`/.exec(trouble.nextStep) ?? []
    const copied = words.replace('--token ...', `--token ${hub.token}`).split(' ')
    expect((await runHere(copied)).out).toContain('3 files deleted.')
  })

  it('the run is named, and paths are those of the run', async () => {
    const one = await write('src/a.txt', 'one')
    expect((await outside('history', 'src/a.txt', '--run', at.run)).out).toContain(`@${one}`)
    const address = `${at.project}/${at.task}/${at.run}`
    expect((await outside('history', 'src/a.txt', '--run', address)).out).toContain(`@${one}`)
    await expect(outside('history', 'src/a.txt')).rejects.toMatchObject({
      exit: 'usage',
      message: 'Which run? /src/a.txt is in no linked folder.',
    })
    await expect(outside('undo', '--run', `run_${'0'.repeat(22)}`)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('Run not found'),
      nextStep: expect.stringMatching(/`npx farhand links`.*`npx farhand link <folder> --run new --hub http/),
    })
  })

  it('a token that is no good, and a hub that is away, are told apart', async () => {
    const ask = (env: Record<string, string>) =>
      runHere(['history', 'a', '--run', at.run, '--state', state.root], { env })
    await expect(ask({ FARHAND_URL: hub.url, FARHAND_TOKEN: 'fh_no' })).rejects.toMatchObject({
      message: expect.stringContaining('does not know this token'),
      nextStep: expect.stringContaining('`npx farhand user token owner --data '),
    })
    await expect(ask({ FARHAND_URL: 'http://127.0.0.1:1', FARHAND_TOKEN: 'fh_no' })).rejects.toThrow(
      'No hub answers at http://127.0.0.1:1',
    )
    await expect(ask({ FARHAND_URL: 'http://127.0.0.1:1' })).rejects.toThrow('No hub answers at')
    const other = hub.url.replace('127.0.0.1', 'localhost')
    await expect(ask({ FARHAND_URL: other })).rejects.toThrow('Not signed in to')
    // The only hub that this machine has links to can be meant.
    await expect(ask({})).rejects.toThrow('File not found in this run: a')
  })
})

describe('what is wrong', () => {
  it.each([
    [['restore', 'a.txt'], 'Which version of a.txt?'],
    [['restore', 'a.txt@999'], 'File not found in this run: src/a.txt'],
    [['history', '../../outside'], 'is not in the linked folder'],
    [['undo', '--to', 'yesterday'], 'is not an event'],
  ])('%j', async (args, sentence) => {
    await expect(inside(...args)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining(sentence),
    })
  })

  it('is a line of JSON too, where JSON was asked for', async () => {
    const out: string[] = []
    const asked = runHere(['history', 'nothing', '--json', '--state', state.root], {
      cwd: folder,
      out: (text) => void out.push(text),
    })
    await expect(asked).rejects.toThrow()
    expect(JSON.parse(out.join(''))).toMatchObject({ event: 'error', code: 'usage', exit: 2 })
  })

  it('a hub that was stopped is told while one still waits, with the next step', async () => {
    state.save({ ...state.find(folder)!, url: 'http://127.0.0.1:1' })
    await expect(inside('history', 'a.txt')).rejects.toMatchObject({
      message: expect.stringContaining('No hub answers at http://127.0.0.1:1'),
      nextStep: expect.stringContaining('Is the hub running'),
    })
  })

  it('a folder that is gone does not keep its link from being found', async () => {
    await rm(folder, { recursive: true })
    await expect(inside('history', 'a.txt')).rejects.toThrow('File not found in this run: src/a.txt')
  })
})
