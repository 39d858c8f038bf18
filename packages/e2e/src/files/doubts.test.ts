import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SyncStopped } from '@farhand/sync/sync-stopped'
import { describe, expect, it } from 'vitest'
import { treeOf } from './folder-tree.ts'
import type { LinkedFolder } from './linked-folder.ts'
import { bothWays, foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()

const many = (number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, n) => [`f${n % 5}/${n}.txt`, `content ${n}`]))

const asked = (folders: TwoFolders, folder: LinkedFolder) =>
  folders.until('asked', async () => (folder.questions[0] ? { is: folder.questions[0] } : { not: 'asked' }))

/** Takes away everything below a folder, as a failed mount or a slip of the hand would. */
function empty(folder: LinkedFolder): void {
  for (const name of readdirSync(folder.root))
    if (name !== '.farhand') rmSync(folder.at(name), { recursive: true })
}

describe.each(bothWays)('S13 disappearing is not deleting, on the $here', ({ here, there }) => {
  it.each(['live', 'away'])(
    'an emptied folder asks (%s); brought back, everything is there again',
    async (how) => {
      const folders = await linked()
      const before = await folders.begin(many(30))
      folders[here].answer = () => 'bring-back'
      if (how === 'away') await folders[here].stop()
      empty(folders[here])
      if (how === 'away') await folders[here].start()
      expect(await asked(folders, folders[here])).toMatchObject({ is: 'vanished', of: 30, all: true })
      expect(await folders.settled()).toEqual(before)
    },
  )

  it('half of the files gone asks; if that is meant, they go', async () => {
    const folders = await linked()
    await folders.begin(many(30))
    folders[here].answer = () => 'delete'
    for (const folder of ['f0', 'f1', 'f2']) folders[here].remove(folder)
    expect(await asked(folders, folders[here])).toMatchObject({
      is: 'vanished',
      gone: { count: 18 },
      all: false,
    })
    expect((await folders.settled()).size).toBe(12)
    expect(existsSync(folders[there].at('f0'))).toBe(false)
  })

  it('files that come back before anyone has answered were never gone', async () => {
    const folders = await linked()
    const before = await folders.begin(many(30))
    folders[here].answer = () => new Promise(() => {})
    const aside = join(folders.home, 'aside')
    mkdirSync(aside)
    const names = ['f0', 'f1', 'f2', 'f3', 'f4']
    for (const name of names) renameSync(folders[here].at(name), join(aside, name))
    expect(await asked(folders, folders[here])).toMatchObject({ is: 'vanished', all: true })
    for (const name of names) renameSync(join(aside, name), folders[here].at(name))
    expect(await folders.settled()).toEqual(before)
    folders[here].write('f0/0.txt', 'and it goes on')
    await folders.settled()
    expect(folders[there].read('f0/0.txt')).toBe('and it goes on')
  })

  it('fewer than half go without a question', async () => {
    const folders = await linked()
    await folders.begin(many(50))
    for (const folder of ['f0', 'f1']) folders[here].remove(folder)
    expect((await folders.settled()).size).toBe(30)
    expect(folders[here].questions).toEqual([])
  })

  it('a person who stops at the question has deleted nothing, and is asked again', async () => {
    const folders = await linked()
    const before = await folders.begin(many(30))
    folders[here].answer = () => 'stop'
    empty(folders[here])
    expect(await folders[here].over()).toBeInstanceOf(SyncStopped)
    expect(treeOf(folders[there].root)).toEqual(before)
    folders[here].answer = () => 'bring-back'
    await folders[here].start()
    expect(await folders.settled()).toEqual(before)
    expect(folders[here].questions).toHaveLength(2)
  })

  it('a folder that is gone, or is another one, ends it, and nothing is deleted there', async () => {
    const folders = await linked()
    const before = await folders.begin(many(5))
    const aside = join(folders.home, 'aside')
    renameSync(folders[here].root, aside)
    expect(await folders[here].over()).toMatchObject({ why: 'root-missing' })
    renameSync(aside, folders[here].root)
    await folders[here].start()
    expect(await folders.settled()).toEqual(before)
    renameSync(folders[here].root, aside)
    mkdirSync(folders[here].root)
    expect(await folders[here].over()).toMatchObject({ why: expect.stringMatching(/^root-/) })
    expect(treeOf(folders[there].root)).toEqual(before)
  })

  it('a file that becomes ignored is not deleted there, and is synced again when it no longer is', async () => {
    const folders = await linked()
    await folders.begin({ 'secret.env': 'one', 'build/out.js': 'one', 'a.txt': 'a' })
    folders[here].write('.farhandignore', '*.env\nbuild/\n')
    await folders.heard(folders[there], 'applied', ({ path }) => path === '.farhandignore')
    folders[here].write('secret.env', 'only here')
    folders[here].remove('build')
    folders[here].write('after.txt', 'after')
    await folders.heard(folders[there], 'applied', ({ path }) => path === 'after.txt')
    expect([folders[there].read('secret.env'), folders[there].read('build/out.js')]).toEqual(['one', 'one'])
    folders[here].write('build/out.js', 'two')
    folders[here].remove('.farhandignore')
    await folders.settled()
    expect(folders[there].read('secret.env')).toBe('only here')
    expect(folders[there].read('build/out.js')).toBe('two')
  })
})

describe('S14 the folder of a git repository', () => {
  const git = (folder: LinkedFolder, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], {
      cwd: folder.root,
      stdio: 'pipe',
    })

  async function repository() {
    const folders = await linked()
    const { laptop } = folders
    git(laptop, 'init', '-q', '-b', 'main')
    for (const [path, text] of Object.entries(many(20))) laptop.write(path, text)
    git(laptop, 'add', '.')
    git(laptop, 'commit', '-qm', 'one')
    git(laptop, 'checkout', '-qb', 'other')
    for (const path of Object.keys(many(20))) laptop.write(path, 'on the other branch')
    git(laptop, 'commit', '-qam', 'two')
    await folders.begin({})
    return folders
  }

  it('asks before a checkout becomes edits, and sends them if they are meant', async () => {
    const folders = await repository()
    const { laptop, sandbox } = folders
    laptop.answer = () => 'send'
    git(laptop, 'checkout', '-q', 'main')
    expect(await asked(folders, laptop)).toMatchObject({ is: 'head-moved', changes: { count: 20 } })
    await folders.settled()
    expect(sandbox.read('f0/0.txt')).toBe('content 0')
    expect(existsSync(sandbox.at('.git'))).toBe(false)
  })

  it('asks nothing when an edit is committed', async () => {
    const folders = await repository()
    const { laptop, sandbox } = folders
    laptop.write('f0/0.txt', 'edited')
    await folders.settled()
    git(laptop, 'commit', '-qam', 'three')
    laptop.write('f0/0.txt', 'edited again')
    await folders.settled()
    expect(sandbox.read('f0/0.txt')).toBe('edited again')
    expect(laptop.questions).toEqual([])
  })

  it('forgets its question when the branch is changed back before anyone has answered', async () => {
    const folders = await repository()
    const { laptop, sandbox } = folders
    laptop.answer = () => new Promise(() => {})
    git(laptop, 'checkout', '-q', 'main')
    await asked(folders, laptop)
    git(laptop, 'checkout', '-q', 'other')
    await folders.settled()
    expect(sandbox.read('f0/0.txt')).toBe('on the other branch')
  })
})

describe('S11 a folder with files meets a run with files', () => {
  const mine = { 'both.txt': 'mine', 'same.txt': 'same', 'only-mine.txt': 'mine' }
  const theirs = { 'both.txt': 'theirs', 'same.txt': 'same', 'only-theirs.txt': 'theirs' }

  async function meeting(answer: 'mine' | 'theirs' | 'stop') {
    const folders = await linked()
    const { laptop, sandbox } = folders
    for (const [path, text] of Object.entries(theirs)) sandbox.write(path, text)
    await sandbox.start()
    await folders.settled()
    for (const [path, text] of Object.entries(mine)) laptop.write(path, text)
    laptop.answer = () => answer
    await laptop.start()
    expect(await asked(folders, laptop)).toEqual({
      is: 'first-attach',
      onlyHere: { count: 1, some: ['only-mine.txt'] },
      onlyThere: { count: 1, some: ['only-theirs.txt'] },
      differ: { count: 1, some: ['both.txt'] },
    })
    return folders
  }

  it.each([
    ['mine', 'theirs'],
    ['theirs', 'mine'],
  ] as const)(
    'it asks; with %s that side counts, and the version of the other can be put back',
    async (answer, other) => {
      const folders = await meeting(answer)
      const { laptop, sandbox } = folders
      await folders.settled()
      expect([laptop.read('both.txt'), sandbox.read('both.txt')]).toEqual([answer, answer])
      await folders.restore('both.txt', other)
      await folders.settled()
      expect([laptop.read('both.txt'), sandbox.read('both.txt')]).toEqual([other, other])
    },
  )

  it('whoever stops has changed nothing on either side', async () => {
    const folders = await meeting('stop')
    const before = (await folders.events()).length
    expect(await folders.laptop.over()).toBeInstanceOf(SyncStopped)
    expect(folders.laptop.read('both.txt')).toBe('mine')
    expect(folders.sandbox.read('both.txt')).toBe('theirs')
    expect((await folders.events()).length).toBe(before)
  })
})
