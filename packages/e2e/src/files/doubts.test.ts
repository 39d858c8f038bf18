import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { SyncStopped } from '@farhand/sync/engine/sync-stopped'
import { describe, expect, it } from 'vitest'
import { treeOf } from './folder-tree.ts'
import type { LinkedFolder } from './linked-folder.ts'
import { bothWays, foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()

/** Three of five are in one folder, the others in another, and all of them in a third. */
const placeOf = (n: number) => `f/${n % 5 < 3 ? 'most' : 'rest'}/${n % 5}/${n}.txt`
const many = (number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, n) => [placeOf(n), `content ${n}`]))
const first = placeOf(0)

const asked = (folders: TwoFolders, folder: LinkedFolder) =>
  folders.until('asked', async () => (folder.questions[0] ? { is: folder.questions[0] } : { not: 'asked' }))

/**
 * Takes away everything there at once, as a failed mount or a slip of the hand would, and says where it is now. What goes
 * bit by bit on a slow machine may be seen bit by bit, and the first bits are not waited with for long.
 */
function takeAway(folders: TwoFolders, folder: LinkedFolder, path = 'f'): string {
  const aside = join(folders.home, 'aside')
  renameSync(folder.at(path), aside)
  return aside
}

describe.each(bothWays)('S13 disappearing is not deleting, on the $here', ({ here, there }) => {
  it.each(['live', 'away'])(
    'an emptied folder asks (%s); brought back, everything is there again',
    async (how) => {
      const folders = await linked()
      const before = await folders.begin(many(30))
      folders[here].answer = () => 'bring-back'
      if (how === 'away') await folders[here].stop()
      takeAway(folders, folders[here])
      if (how === 'away') await folders[here].start()
      expect(await asked(folders, folders[here])).toMatchObject({ is: 'vanished', of: 30, all: true })
      expect(await folders.settled()).toEqual(before)
    },
  )

  it('half of the files gone asks; if that is meant, they go', async () => {
    const folders = await linked()
    await folders.begin(many(30))
    folders[here].answer = () => 'delete'
    takeAway(folders, folders[here], 'f/most')
    expect(await asked(folders, folders[here])).toMatchObject({
      is: 'vanished',
      gone: { count: 18 },
      all: false,
    })
    expect((await folders.settled()).size).toBe(12)
    expect(existsSync(folders[there].at('f/most'))).toBe(false)
  })

  it('files that come back before the user has answered count as never gone', async () => {
    const folders = await linked()
    const before = await folders.begin(many(30))
    folders[here].answer = () => new Promise(() => {})
    const aside = takeAway(folders, folders[here])
    expect(await asked(folders, folders[here])).toMatchObject({ is: 'vanished', all: true })
    renameSync(aside, folders[here].at('f'))
    expect(await folders.settled()).toEqual(before)
    folders[here].write(first, 'and it goes on')
    await folders.settled()
    expect(folders[there].read(first)).toBe('and it goes on')
  })

  it('fewer than half go without a question', async () => {
    const folders = await linked()
    await folders.begin(many(50))
    folders[here].remove('f/rest')
    expect((await folders.settled()).size).toBe(30)
    expect(folders[here].questions).toEqual([])
  })

  it('a user who stops at the question has deleted nothing, and is asked again', async () => {
    const folders = await linked()
    const before = await folders.begin(many(30))
    folders[here].answer = () => 'stop'
    takeAway(folders, folders[here])
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
    folders[here].replace('.farhandignore', '*.env\nbuild/\n')
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
    expect(sandbox.read(first)).toBe('content 0')
    expect(existsSync(sandbox.at('.git'))).toBe(false)
  })

  it('asks nothing when an edit is committed', async () => {
    const folders = await repository()
    const { laptop, sandbox } = folders
    laptop.write(first, 'edited')
    await folders.settled()
    git(laptop, 'commit', '-qam', 'three')
    laptop.write(first, 'edited again')
    await folders.settled()
    expect(sandbox.read(first)).toBe('edited again')
    expect(laptop.questions).toEqual([])
  })

  it('withdraws its question when the branch is changed back before the user has answered', async () => {
    const folders = await repository()
    const { laptop, sandbox } = folders
    laptop.answer = () => new Promise(() => {})
    git(laptop, 'checkout', '-q', 'main')
    await asked(folders, laptop)
    git(laptop, 'checkout', '-q', 'other')
    await folders.settled()
    expect(sandbox.read(first)).toBe('on the other branch')
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

  it('a user who stops has changed nothing on either side', async () => {
    const folders = await meeting('stop')
    const before = (await folders.events()).length
    expect(await folders.laptop.over()).toBeInstanceOf(SyncStopped)
    expect(folders.laptop.read('both.txt')).toBe('mine')
    expect(folders.sandbox.read('both.txt')).toBe('theirs')
    expect((await folders.events()).length).toBe(before)
  })
})
