import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import type { Change, DiskFolder, Looked, Seen } from './disk-folder.ts'

const at = (path: string) => WorkspacePath.parse(path)
const forever = new AbortController().signal

/** A folder in which another program works, too. */
export type FolderUnderTest = {
  /** Begins the next life: the one before ends without another word. */
  open(): Promise<DiskFolder>
  write(path: string, text: string, mode?: FileMode): void
  remove(path: string): void
  holds(): Record<string, FileEntry>
  entry(text: string, mode?: FileMode): FileEntry
  bytes(text: string): Uint8Array
  size(text: string): number
  /** A text that is too large for a report to bring it along. */
  large: string
}

export function diskFolderContract(name: string, start: () => FolderUnderTest): void {
  describe(`a folder on a disk: ${name}`, () => {
    async function folderWith(files: Record<string, string>) {
      const folder = start()
      for (const [path, text] of Object.entries(files)) folder.write(path, text)
      const { entry, bytes, size } = folder
      /** A change from one text to another, null for no file, with the bytes at hand. */
      const change = (path: string, from: string | null, to: string | null, more: Partial<Change> = {}) => ({
        path: at(path),
        from: from === null ? null : entry(from),
        to: to === null ? null : entry(to),
        size: to === null ? 0 : size(to),
        ...(to !== null && { content: bytes(to) }),
        ...more,
      })
      return { ...folder, change }
    }

    /** The folder in its next life, once all that is there has been reported. */
    async function scanned(folder: FolderUnderTest) {
      const disk = await folder.open()
      const left = await disk.leftBehind()
      const seen = await reportsUntil(disk, (_, isScanned) => isScanned)
      return { disk, left, seen }
    }

    async function reportsUntil(
      disk: DiskFolder,
      isEnough: (seen: Map<string, Seen>, isScanned: boolean) => boolean,
    ): Promise<Map<string, Seen>> {
      const all = new Map<string, Seen>()
      for (;;) {
        const { seen, scanned } = await disk.next(forever)
        for (const one of seen) all.set(one.path, one)
        if (isEnough(all, scanned)) return all
      }
    }
    const entries = (seen: Map<string, Seen>) =>
      Object.fromEntries([...seen].map(([path, { entry }]) => [path, entry]))
    const entryIn = (looked: Looked) => ('entry' in looked ? looked.entry : looked.why)
    const textOf = async (opened: Blob | Uint8Array | null) =>
      opened &&
      Buffer.from(opened instanceof Uint8Array ? opened : new Uint8Array(await opened.arrayBuffer()))
    async function* pieces(bytes: Uint8Array) {
      for (let from = 0; from < bytes.length; from += 100_000) yield bytes.subarray(from, from + 100_000)
    }

    it('S1 reports everything that is there, and what other programs write and delete later', async () => {
      const folder = await folderWith({ a: 'a', 'deep/b': 'b', big: start().large })
      const { disk, left, seen } = await scanned(folder)
      expect(left).toEqual([])
      expect(entries(seen)).toEqual(folder.holds())
      folder.write('a', 'newer')
      folder.write('deep/run', 'run', '100755')
      folder.remove('deep/b')
      const now = { a: folder.entry('newer'), 'deep/run': folder.entry('run', '100755'), 'deep/b': null }
      const later = await reportsUntil(disk, (seen) =>
        Object.entries(now).every(
          ([path, entry]) => JSON.stringify(seen.get(path)?.entry) === JSON.stringify(entry),
        ),
      )
      expect(entries(later)).toEqual(now)
    })

    it('S1 says what paths are now, and gives the bytes that a report does not bring along', async () => {
      const { large } = start()
      const folder = await folderWith({ a: 'a', big: large })
      const { disk, seen } = await scanned(folder)
      expect(seen.get('big')?.content).toBeUndefined()
      expect(seen.get('big')?.size).toBe(folder.size(large))
      expect((await disk.look([at('none'), at('a')])).map(entryIn)).toEqual([null, folder.entry('a')])
      expect(
        (await textOf(await disk.open(at('big'), folder.entry(large))))?.equals(folder.bytes(large)),
      ).toBe(true)
    })

    it('S5 does not open what is something else by now, and reports that', async () => {
      const folder = await folderWith({ a: 'a', b: 'b' })
      const { disk } = await scanned(folder)
      folder.write('a', 'newer')
      folder.remove('b')
      expect(await disk.open(at('a'), folder.entry('a'))).toBeNull()
      expect(await disk.open(at('b'), folder.entry('b'))).toBeNull()
      const seen = await reportsUntil(
        disk,
        (seen) => seen.has('b') && seen.get('a')?.entry?.hash === folder.entry('newer').hash,
      )
      expect(entries(seen)).toEqual({ a: folder.entry('newer'), b: null })
    })

    it('S6 writes and deletes, deletions first, and answers in the order asked', async () => {
      const folder = await folderWith({ a: 'a', old: 'old', folder: 'a file' })
      const { disk } = await scanned(folder)
      const changes = [
        folder.change('folder/in', null, 'in'),
        folder.change('a', 'a', 'newer'),
        folder.change('a', 'wrong', null),
        folder.change('folder', 'a file', null),
        folder.change('old', 'old', null),
        folder.change('run', null, 'run', { to: folder.entry('run', '100755') }),
      ]
      const answers = await disk.apply(changes)
      expect(answers.map(({ is }) => is)).toEqual(['done', 'done', 'changed', 'done', 'done', 'done'])
      expect(folder.holds()).toEqual({
        'folder/in': folder.entry('in'),
        a: folder.entry('newer'),
        run: folder.entry('run', '100755'),
      })
    })

    it('S6 leaves alone what is something else than it was told, and reports it again', async () => {
      const folder = await folderWith({ a: 'a', b: 'b' })
      const { disk } = await scanned(folder)
      const answers = await disk.apply([
        folder.change('a', 'before', 'newer'),
        folder.change('b', null, 'newer'),
        folder.change('gone', 'before', 'newer'),
      ])
      expect(answers).toEqual([{ is: 'changed' }, { is: 'changed' }, { is: 'changed' }])
      const seen = await reportsUntil(disk, (seen) => seen.size === 3)
      expect(entries(seen)).toEqual({ a: folder.entry('a'), b: folder.entry('b'), gone: null })
      expect(folder.holds()).toEqual({ a: folder.entry('a'), b: folder.entry('b') })
    })

    it('S6 leaves alone files that it reported where a folder would have to be, or in a folder that would have to go', async () => {
      const folder = await folderWith({ file: 'file', 'folder/in': 'in' })
      const { disk } = await scanned(folder)
      const answers = await disk.apply([
        folder.change('file/in', null, 'x'),
        folder.change('folder', null, 'x'),
      ])
      expect(answers).toEqual([{ is: 'changed' }, { is: 'changed' }])
      folder.write('later', 'later')
      const now = { file: folder.entry('file'), 'file/in': null, folder: null, later: folder.entry('later') }
      const seen = await reportsUntil(disk, (seen) => Object.keys(now).every((path) => seen.has(path)))
      // What is in the folder was reported before, and is not reported again.
      expect(entries(seen)).toEqual(now)
      expect(folder.holds()).toEqual({
        file: folder.entry('file'),
        'folder/in': folder.entry('in'),
        later: folder.entry('later'),
      })
    })

    it('S5 writes nothing that is not what its entry names', async () => {
      const folder = await folderWith({ a: 'a' })
      const { disk } = await scanned(folder)
      const answers = await disk.apply([
        folder.change('a', 'a', 'newer', { content: folder.bytes('something else') }),
        folder.change('b', null, 'b'),
      ])
      expect(answers.map(({ is }) => is)).toEqual(['failed', 'done'])
      expect(folder.holds()).toEqual({ a: folder.entry('a'), b: folder.entry('b') })
    })

    it('S5 gives staged bytes their name once, and keeps none of them however that goes', async () => {
      const folder = await folderWith({ a: 'a' })
      const { disk } = await scanned(folder)
      const { large } = folder
      const { content: _, ...without } = folder.change('big', null, large)
      const staged = await disk.stage(pieces(folder.bytes(large)))
      expect(await disk.apply([{ ...without, staged }])).toEqual([{ is: 'done' }])
      expect(folder.holds()).toEqual({ a: folder.entry('a'), big: folder.entry(large) })
      expect(await disk.apply([{ ...without, path: at('again'), staged }])).toMatchObject([{ is: 'failed' }])
      const another = await disk.stage(pieces(folder.bytes(large)))
      const wrong = { ...without, path: at('a'), staged: another }
      expect(await disk.apply([wrong])).toEqual([{ is: 'changed' }])
      expect(await disk.apply([{ ...wrong, path: at('c') }])).toMatchObject([{ is: 'failed' }])
      const dropped = await disk.stage(pieces(folder.bytes(large)))
      disk.dropStaged(dropped)
      expect(await disk.apply([{ ...without, path: at('d'), staged: dropped }])).toMatchObject([
        { is: 'failed' },
      ])
    })

    it('S7 tells the next life what this one wrote and never knew to be saved', async () => {
      const folder = await folderWith({ a: 'a', b: 'b' })
      const first = await scanned(folder)
      await first.disk.apply([folder.change('saved', null, 'saved')])
      first.disk.settled(1)
      await first.disk.apply([folder.change('new', null, 'new'), folder.change('a', 'a', null)])
      await first.disk.apply([folder.change('new', 'new', 'newer'), folder.change('b', 'x', 'y')])
      const wanted = { a: null, new: folder.entry('newer') }
      const told = (left: { path: string; entry: FileEntry | null }[]) =>
        Object.fromEntries(left.map(({ path, entry }) => [path, entry]))
      const second = await scanned(folder)
      expect(told(second.left)).toEqual(wanted)
      await second.disk.apply([folder.change('other', null, 'other')])
      // A life that ends before it has saved that leaves it to the next one.
      const third = await scanned(folder)
      expect(told(third.left)).toEqual({ ...wanted, other: folder.entry('other') })
      await third.disk.apply([folder.change('last', null, 'last')])
      third.disk.settled(0)
      const fourth = await scanned(folder)
      expect(told(fourth.left)).toEqual({ last: folder.entry('last') })
      fourth.disk.settled(0)
      expect((await scanned(folder)).left).toEqual([])
    })

    it('has no next report for a caller that gave up', async () => {
      const folder = await folderWith({})
      const { disk } = await scanned(folder)
      const stop = new AbortController()
      const next = disk.next(stop.signal)
      stop.abort(new Error('enough'))
      await expect(next).rejects.toThrow('enough')
      folder.write('a', 'a')
      expect(
        (await reportsUntil(disk, (seen) => seen.get('a')?.entry?.hash === folder.entry('a').hash)).size,
      ).toBe(1)
    })
  })
}
