import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { versionsOf } from '@farhand/sync/history/history'
import { describe, expect, it } from 'vitest'
import { hashOf } from './folder-tree.ts'
import type { LinkedFolder } from './linked-folder.ts'
import { bothWays, foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()

/** The texts that a path has had in the log, oldest first, null where it was deleted. */
async function travelled({ hub, run }: TwoFolders, path: string, texts: readonly string[]) {
  const names = new Map(texts.map((text) => [hashOf(text) as string, text]))
  const versions = (await versionsOf(hub, run)).of(path).toReversed()
  return versions.map(({ entry }) => (entry ? (names.get(entry.hash) ?? 'something else') : null))
}

/** How programs replace a file, each in its own way. */
const editors: Record<string, (folder: LinkedFolder, path: string, text: string) => void> = {
  vim(folder, path, text) {
    const file = folder.at(path)
    writeFileSync(folder.at('4913'), '')
    rmSync(folder.at('4913'))
    renameSync(file, `${file}~`)
    writeFileSync(file, text)
    rmSync(`${file}~`)
  },
  'VS Code'(folder, path, text) {
    const handle = openSync(folder.at(path), 'r+')
    ftruncateSync(handle, 0)
    writeSync(handle, text)
    closeSync(handle)
  },
  JetBrains(folder, path, text) {
    const file = folder.at(path)
    writeFileSync(`${file}___jb_tmp___`, text)
    renameSync(file, `${file}___jb_old___`)
    renameSync(`${file}___jb_tmp___`, file)
    rmSync(`${file}___jb_old___`)
  },
}

/** Between two steps of these the file is empty, which is waited out, but not for long. */
const emptying = new Set(['vim', 'VS Code'])

describe.each(bothWays)('a file that is saved on the $here', ({ here, there }) => {
  it.each(Object.keys(editors))(
    `S6 arrives whole when %s saved it, and nothing else stays`,
    async (editor) => {
      const folders = await linked()
      const before = await folders.begin({ 'src/a.ts': 'one', 'kept.txt': 'kept' })
      for (const text of ['two', 'three, longer', '4']) {
        editors[editor]!(folders[here], 'src/a.ts', text)
        const tree = await folders.settled()
        expect(folders[there].read('src/a.ts')).toBe(text)
        expect([...tree.keys()].sort()).toEqual([...before.keys()].sort())
      }
      const texts = ['one', 'two', 'three, longer', '4']
      const seen = new Set(await travelled(folders, 'src/a.ts', [...texts, '']))
      // A state between two steps of the editor may be seen; a text that was never written may not.
      for (const text of texts) expect(seen).toContain(text)
      expect(seen).not.toContain('something else')
      if (!emptying.has(editor)) expect(seen).not.toContain('')
    },
  )

  it('S6 S8 a file that is seen half-way is sent again when the rest is written', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'old' })
    const handle = openSync(folders[here].at('a.txt'), 'w')
    await folders.settled()
    expect(folders[there].read('a.txt')).toBe('')
    writeSync(handle, 'first half, ')
    await folders.settled()
    expect(folders[there].read('a.txt')).toBe('first half, ')
    writeSync(handle, 'second half')
    closeSync(handle)
    await folders.settled()
    expect(folders[there].read('a.txt')).toBe('first half, second half')
  })

  it('S2 A, then B, then A again: each is synced', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'A' })
    for (const text of ['B', 'A', 'B']) {
      folders[here].replace('a.txt', text)
      await folders.settled()
    }
    expect(await travelled(folders, 'a.txt', ['A', 'B'])).toEqual(['A', 'B', 'A', 'B'])
  })

  it('S2 a file that is deleted and made again with other content arrives, and so does its absence', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'first', 'b.txt': 'b' })
    folders[here].remove('a.txt')
    await folders.settled()
    folders[here].write('a.txt', 'second')
    await folders.settled()
    folders[here].remove('a.txt')
    folders[here].write('a.txt', 'third')
    const tree = await folders.settled()
    expect(folders[there].read('a.txt')).toBe('third')
    expect(tree.size).toBe(2)
  })

  it('S2 an edit of the same size, in the same second and with the old time put back, is an edit', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'aaaa' })
    const { atime, mtime } = statSync(folders[here].at('a.txt'))
    for (const text of ['bbbb', 'cccc', 'dddd']) {
      folders[here].write('a.txt', text)
      utimesSync(folders[here].at('a.txt'), atime, mtime)
      await folders.settled()
      expect(folders[there].read('a.txt')).toBe(text)
    }
  })

  it('S2 a file with a time in the future, or long in the past, is synced like any other', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'aaaa' })
    const file = folders[here].at('a.txt')
    const days = (number: number) => Date.now() / 1000 + number * 86_400
    for (const [text, when] of [
      ['bbbb', days(1)],
      ['cccc', days(1)],
      ['dddd', days(-9000)],
      ['eeee', days(0)],
    ] as const) {
      writeFileSync(file, text)
      utimesSync(file, when, when)
      await folders.settled()
      expect(folders[there].read('a.txt')).toBe(text)
    }
    await folders.stopAll()
    writeFileSync(file, 'ffff')
    utimesSync(file, days(1), days(1))
    await folders.startAll()
    expect(folders[there].read('a.txt')).toBe('ffff')
  })

  it('S7 a touch makes no event, nor does writing the same content again', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'a', 'b.txt': 'b' })
    const before = (await folders.events()).length
    utimesSync(folders[here].at('a.txt'), new Date(), new Date())
    const handle = openSync(folders[here].at('b.txt'), 'r+')
    writeSync(handle, 'b')
    closeSync(handle)
    folders[here].write('last.txt', 'after these')
    await folders.settled()
    await folders.stopAll()
    await folders.startAll()
    const about = (await folders.events())
      .slice(before)
      .map(({ notification }) => JSON.stringify(notification.params))
      .filter((text) => text.includes('a.txt') || text.includes('b.txt'))
    expect(about).toEqual([])
  })

  it('S1 a hard link becomes a copy: two files of the same content, and each edit is its own there', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'shared' })
    const { linkSync } = await import('node:fs')
    linkSync(folders[here].at('a.txt'), folders[here].at('b.txt'))
    await folders.settled()
    expect(folders[there].read('b.txt')).toBe('shared')
    expect(statSync(folders[there].at('a.txt')).ino).not.toBe(statSync(folders[there].at('b.txt')).ino)
    // One write changes both names here. A watch tells of one name, so the other is found by a scan.
    appendFileSync(folders[here].at('b.txt'), ' and changed')
    await folders.stopAll()
    await folders.startAll()
    expect(readFileSync(folders[there].at('a.txt'), 'utf8')).toBe('shared and changed')
    expect(readFileSync(folders[there].at('b.txt'), 'utf8')).toBe('shared and changed')
  })
})
