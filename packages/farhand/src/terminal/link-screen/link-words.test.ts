import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { runNamed } from '@farhand/device/find-run/run-named'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import { FileEntry } from '@farhand/protocol/methods/files'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { sizeInWords, sizeNamed } from '../printing/file-size.ts'
import { paint } from '../printing/paint.ts'
import { linkQuestions, questionInWords } from './link-questions.ts'
import { noteAsJson } from './note-as-json.ts'
import { noteInWords } from './note-in-words.ts'

const hash = `sha256_${'a'.repeat(64)}`
const a = WorkspacePath.parse('a')
const some = { count: 1, some: [a] }
const headMoved = { is: 'head-moved', changes: some } as const
const words = (note: unknown) =>
  noteInWords(
    note as SyncNote,
    {
      farhand: 'farhand',
      self: 'dev_here0000',
      again: 'farhand link /there',
      pathFor: (path) => `/there/${path}`,
      devices: new Map([['dev_desk0000', 'website on desk']]),
    },
    paint(false),
  )
const json = (note: unknown) => noteAsJson(note as SyncNote, 1000)
const [runner, desk, self] = [
  { kind: 'runner', generation: 2 },
  { kind: 'device', id: 'dev_desk0000' },
  { kind: 'device', id: 'dev_here0000' },
]
const entry = FileEntry.parse({ mode: '100644', hash })

describe('a note', () => {
  it.each([
    [{ is: 'sent', path: 'a', deed: 'modified', eventId: 3 }, '→ a'],
    [{ is: 'sent', path: 'a', deed: 'deleted', eventId: 3 }, '→ a  deleted'],
    [
      { is: 'applied', path: 'a', deed: 'created', by: { kind: 'runner', generation: 2 } },
      '← a  by the agent',
    ],
    [
      { is: 'kept', path: 'a b', entry, why: 'overruled', eventId: 7 },
      "! a b  your version gave way (another one counts) and is kept. Put it back: farhand restore '/there/a b@7'",
    ],
    [
      { is: 'conflict', path: 'a', entry, eventId: 7, here: 'lost', lost: runner, won: desk, isGone: false },
      '! a  your version gave way (website on desk had changed the file meanwhile) and is kept. Put it back: farhand restore /there/a@7',
    ],
    [
      { is: 'conflict', path: 'a', entry, eventId: 7, here: 'won', lost: runner, won: self, isGone: true },
      '! a  the version of the agent gave way (this folder had deleted or moved the file meanwhile) and is kept. Put it back: farhand restore /there/a@7',
    ],
    [
      { is: 'skipped', skip: { path: 'big', why: 'too-large', size: 73 * 1024 * 1024 } },
      '· big  not synced: it has 73 MiB, and the limit is less; --max-file 128M would let it in',
    ],
    [
      { is: 'skipped', skip: { path: 'Readme', why: 'clash' } },
      '· Readme  not synced: another file here differs from it only in upper and lower case',
    ],
    [
      { is: 'skipped', skip: { path: 'd/\u00e9.txt'.normalize('NFD'), why: 'clash' } },
      `· ${'d/\u00e9.txt'.normalize('NFD')}  not synced: another file here has the same name, in another Unicode form`,
    ],
    [
      { is: 'skipped', skip: { path: '\u00e9', why: 'clash' } },
      '· \u00e9  not synced: another file here differs from it only in its Unicode form, or in upper and lower case',
    ],
    [
      { is: 'skipped', skip: { path: 'data', why: 'hub-data' } },
      '· data  not synced: a hub keeps its data here',
    ],
    [
      { is: 'skipped', skip: { path: 'big', why: 'too-large', size: 60 * 1024 * 1024 }, inRun: true },
      '! big  no longer in step: 60 MiB is larger than the limit. Raise it: farhand link /there --max-file 64M',
    ],
    [
      { is: 'skipped', skip: { path: 'a', why: 'unreadable' }, inRun: true },
      '! a  no longer in step: this user may not read it',
    ],
    [
      { is: 'applied', path: 'a', deed: 'created', by: { kind: 'device', id: 'dev_desk0000' } },
      '← a  by website on desk',
    ],
    [
      { is: 'blind', why: 'ENOSPC' },
      '! Changes are found by looking again and again, not at once: the system lets no more folders be watched. `sudo sysctl fs.inotify.max_user_watches=1048576` allows more.',
    ],
    [{ is: 'trouble', path: null, why: 'no blob' }, '! no blob (is tried again)'],
    [{ is: 'in-step', files: 3, cursor: 9 }, null],
  ])('is a line for people: %j', (note, line) => {
    expect(words(note)).toBe(line)
  })

  it('S4 names the state folder too, if the folder was linked with another one than usual', () => {
    const names = {
      farhand: 'farhand',
      self: 'dev_here0000',
      state: '/my state',
      pathFor: (path: string) => path,
    }
    const kept = { is: 'kept', path: a, entry, why: 'overruled', eventId: 7 } as const
    expect(noteInWords(kept, names, paint(false))).toMatch(/: farhand restore a@7 --state '\/my state'$/)
  })

  it('cannot move the cursor of the terminal by a name', () => {
    expect(pathInWords('a\u001b[2Jb\n')).toBe('"a\\u001b[2Jb\\n"')
    expect(pathInWords('a\u009b2J\u202eb')).toBe('"a\\u{9b}2J\\u{202e}b"')
    expect(pathInWords('tëst 🙂')).toBe('tëst 🙂')
  })

  it('shows where a name begins and ends, if that cannot be seen', () => {
    const names = ['a ', ' a', 'a /b', 'a/ b', 'a /', 'a b', 'a b/c d']
    expect(names.map(pathInWords)).toEqual(['"a "', '" a"', '"a /b"', '"a/ b"', '"a /"', 'a b', 'a b/c d'])
  })

  const rude = 'a\u001b]0;owned\u0007\u009b2J\u202e\nConnected'
  it.each([
    { is: 'sent', path: rude, deed: 'created' },
    { is: 'applied', path: 'a', deed: 'deleted', by: { kind: 'device', id: rude } },
    { is: 'applied', path: 'a', deed: 'deleted', by: { kind: 'channel', id: rude } },
    { is: 'applied', path: 'a', deed: 'deleted', by: { kind: 'other', said: rude, id: rude } },
    { is: 'kept', path: rude, entry: { mode: '100644', hash }, why: 'replaced', eventId: 7 },
    { is: 'conflict', path: rude, eventId: 7, lost: desk, won: null, here: 'lost', isGone: false },
    { is: 'skipped', skip: { path: rude, why: 'special' } },
    { is: 'trouble', path: rude, why: `EACCES: open '${rude}'` },
  ])('shows nothing of others as it is that could move the cursor: %j', (note) => {
    expect(words(note)).not.toMatch(/\p{Cc}|\p{Cf}/u)
  })

  it.each([
    [
      { is: 'connection', state: { is: 'offline', why: 'gone', retryAt: 1500 } },
      { event: 'connection', state: 'offline', why: 'gone', retryInMs: 500 },
    ],
    [
      { is: 'connection', state: { is: 'live' } },
      { event: 'connection', state: 'live' },
    ],
    [
      { is: 'kept', path: 'a', entry, why: 'replaced', eventId: 7 },
      { event: 'kept', path: 'a', hash, mode: '100644', why: 'replaced', eventId: 7 },
    ],
    [
      { is: 'conflict', path: 'a', entry, eventId: 7, here: 'lost', lost: runner, won: desk, isGone: false },
      {
        event: 'conflict',
        path: 'a',
        hash,
        mode: '100644',
        eventId: 7,
        here: 'lost',
        lost: runner,
        won: desk,
        isGone: false,
      },
    ],
    [
      { is: 'skipped', skip: { path: 'a', why: 'special' } },
      { event: 'skipped', path: 'a', why: 'special' },
    ],
    [
      { is: 'skipped', skip: { path: 'a', why: 'special' }, inRun: true },
      { event: 'skipped', path: 'a', why: 'special', inRun: true },
    ],
    [
      { is: 'sent', path: 'a', deed: 'created', eventId: 1 },
      { event: 'sent', path: 'a', deed: 'created', eventId: 1 },
    ],
  ])('is an object for programs: %j', (note, object) => {
    expect(json(note)).toEqual(object)
  })
})

describe('a question', () => {
  const six = { count: 6, some: [a, WorkspacePath.parse('b')] }
  const gone = { is: 'vanished', gone: six, of: 9, before: 0, all: false } as const
  const never = new AbortController().signal
  const screen = { say: () => {}, whileAsking: <Result>(ask: () => Promise<Result>) => ask() }

  it('S13 stops where no user can be asked, and the trouble names the flags', async () => {
    const { ask, refusal } = linkQuestions({}, testContext(), screen, 'farhand link /here')
    expect(await ask(gone, never)).toBe('stop')
    expect(refusal()).toMatchObject({
      exit: 'mustAsk',
      message: '6 of 9 files are gone from this folder.\n  gone: 6 files (a, b, ...)',
      nextStep: expect.stringMatching(
        /^ {2}farhand link \/here --gone delete\n.*\n {2}farhand link \/here --gone bring-back\n/m,
      ),
    })
  })

  it.each([
    [
      { count: 201, of: 207, before: 100, all: false },
      '201 of 207 files are gone from this folder. Right before, 100 others went.',
    ],
    [{ count: 9, of: 9, before: 1, all: true }, 'The folder is empty, and had 10 files.'],
  ])('S13 says how many went of how many there were: %j', ({ count, ...rest }, says) => {
    const question = { is: 'vanished' as const, gone: { count, some: [] }, ...rest }
    expect(questionInWords(question).says[0]).toBe(says)
  })

  it('S13 is answered by its flag as long as the command runs', async () => {
    const { ask } = linkQuestions({ vanished: 'delete' }, testContext(), screen)
    expect([await ask(gone, never), await ask(gone, never)]).toEqual(['delete', 'delete'])
  })

  it('S13 S14 promises no more than is true, however much was sent before', async () => {
    const { ask, refusal, unchanged } = linkQuestions({}, testContext(), screen)
    await ask(gone, never)
    expect([refusal()?.nextStep.split('.')[0], unchanged()]).toEqual([
      'They are still in the run',
      'They are still in the run.',
    ])
    await ask(headMoved, never)
    expect(unchanged()).toBe('None of this was sent.')
  })

  it('S14 that is withdrawn says so, unless everything stops', async () => {
    const saidWhen = async (isStopped: boolean) => {
      const said: string[] = []
      const [stop, end] = [new AbortController(), new AbortController()]
      const context = testContext({
        stop: stop.signal,
        ask: async (_, signal) => {
          if (isStopped) stop.abort()
          end.abort()
          signal.throwIfAborted()
          return ''
        },
      })
      const { ask } = linkQuestions({}, context, { ...screen, say: (line) => said.push(line) })
      await expect(ask(headMoved, end.signal)).rejects.toThrow()
      return said.at(-1)
    }
    expect(await saidWhen(false)).toBe('No longer asked: there is nothing left here that would be sent.')
    expect(await saidWhen(true)).not.toContain('No longer')
  })

  it('S11 S14 is put to a person until the answer makes sense', async () => {
    const typed = ['what?', 'M', 'y']
    const said: string[] = []
    const context = testContext({ ask: async () => typed.shift()! })
    const { ask } = linkQuestions({}, context, { ...screen, say: (line) => said.push(line) })
    const none = { count: 0, some: [] }
    const first = { is: 'first-attach', onlyHere: some, onlyThere: none, differ: some } as const
    expect(await ask(first, never)).toBe('mine')
    expect(context.ran().notes).toBe('Type m (mine), t (theirs) or s (stop), then Enter.\n')
    expect(said.join('\n')).toContain('  only here: 1 file (a)\n  different: 1 file (a)')
    expect(await ask(headMoved, never)).toBe('send')
  })

  it.each([gone, headMoved])(
    'S13 S14 says that the folder stands still until it is answered: %j',
    async (question) => {
      const said: string[] = []
      const context = testContext({ ask: async () => 's' })
      const { ask } = linkQuestions({}, context, { ...screen, say: (line) => said.push(line) })
      await ask(question, never)
      expect(said.at(-1)).toBe('Until this is answered, nothing more goes to the run or comes from it.')
    },
  )
})

describe('what people type', () => {
  it.each([
    ['200M', 200 * 1024 ** 2],
    ['1.5 GiB', 1.5 * 1024 ** 3],
    ['52428800', 52_428_800],
    ['10kb', 10_240],
  ])('%s is a size', (text, bytes) => {
    expect(sizeNamed(text)).toBe(bytes)
  })

  it.each(['', '0', 'big', '-1', '5X'])('%j is not a size', (text) => {
    expect(() => sizeNamed(text)).toThrow('is not a size')
  })

  it('sizes are told with as many digits as matter', () => {
    expect([0, 1, 1023, 1024, 1536, 73 * 1024 ** 2].map(sizeInWords)).toEqual([
      '0 bytes',
      '1 byte',
      '1023 bytes',
      '1 KiB',
      '1.5 KiB',
      '73 MiB',
    ])
  })

  it('a run is named by its id, its address, or the word new', () => {
    const [project, task, run] = ['prj_12345678', 'tsk_12345678', 'run_12345678']
    expect(runNamed('new')).toEqual({ is: 'new' })
    expect(runNamed(run!)).toEqual({ is: 'id', run })
    const address = { is: 'address', at: { project, task, run } }
    expect(runNamed(`${project}/${task}/${run}`)).toEqual(address)
    const url = `http://127.0.0.1:7717/api/projects/${project}/tasks/${task}/runs/${run}/sync`
    expect(runNamed(url)).toEqual(address)
    expect(() => runNamed('mine')).toThrow('names no run')
  })

  it.runIf(existsSync('/bin/bash'))('a word for a shell is the same word when a shell has read it', () => {
    for (const word of [`it's \\ $x`, `\u001bb[2J'\\\n\u0007`, '\u009bff\u202ea\u{e0001}0']) {
      const env = { LC_ALL: 'C.UTF-8' }
      const read = execFileSync('/bin/bash', ['--norc', '-c', `printf %s ${shellWord(word)}`], {
        env,
        encoding: 'utf8',
      })
      expect(read).toBe(word)
    }
  })

  it('a word for a shell is quoted only if it must be', () => {
    expect(['a/b.ts@4', 'a b', "it's"].map(shellWord)).toEqual(['a/b.ts@4', "'a b'", `'it'\\''s'`])
  })
})

it('state is kept where the system keeps such things, unless someone says otherwise', () => {
  const place = (platform: string, env: Record<string, string> = {}, flag?: string) =>
    stateFolderPath(flag, { platform, env, home: '/home/ada', cwd: '/code' })
  expect(place('linux')).toBe('/home/ada/.local/state/farhand')
  expect(place('linux', { XDG_STATE_HOME: '/xdg' })).toBe('/xdg/farhand')
  expect(place('linux', { XDG_STATE_HOME: 'relative' })).toBe('/home/ada/.local/state/farhand')
  expect(place('darwin')).toBe('/home/ada/Library/Application Support/farhand')
  expect(place('linux', { FARHAND_STATE: '/env' })).toBe('/env')
  expect(place('linux', { FARHAND_STATE: '/env' }, 'here')).toBe('/code/here')
})
