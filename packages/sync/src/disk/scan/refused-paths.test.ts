import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DiskFolder } from '../../engine/disk-folder.ts'
import { openDiskFolder } from '../open-disk-folder.ts'
import { hashOf, makeFolder } from '../watch/folder-watcher-under-test.ts'

const at = (text: string) => text as WorkspacePath
const entry = (text: string) => ({ mode: '100644', hash: hashOf(text) }) as FileEntry
const forever = new AbortController().signal

async function open(folder: ReturnType<typeof makeFolder>): Promise<DiskFolder> {
  const disk = await openDiskFolder({ root: folder.root, state: folder.state, maxFileBytes: 1000 })
  onTestFinished(() => disk.close())
  while (!(await disk.next(forever)).scanned);
  return disk
}

const put = async (disk: DiskFolder, path: string, from: FileEntry | null = null) =>
  (await disk.apply([{ path: at(path), from, to: entry('x'), size: 1, content: Buffer.from('x') }]))[0]

/** The next report that says what is at this path, or why that is not synced. */
async function about(disk: DiskFolder, path: string): Promise<FileEntry | null | string> {
  for (;;) {
    const { seen, skipped } = await disk.next(forever)
    const found = seen.find((one) => one.path === path)
    if (found) return found.entry
    const skip = skipped.find((one) => one.path === path)
    if (skip) return skip.why
  }
}

describe('a path that could not be written', () => {
  it('S13 is reported when the ignored folder in its way is removed, or loses its last file', async () => {
    const folder = makeFolder()
    folder.write('.gitignore', '*.pyc\nout/\n')
    for (const name of ['gone/a.pyc', 'empty/a.pyc', 'out/a']) folder.write(name)
    const disk = await open(folder)
    for (const path of ['gone', 'empty', 'out']) {
      expect(await put(disk, path)).toEqual({ is: 'skipped', why: 'in-the-way' })
    }
    rmSync(folder.at('gone'), { recursive: true })
    expect(await about(disk, 'gone')).toBeNull()
    expect(await put(disk, 'gone')).toEqual({ is: 'done' })
    rmSync(folder.at('empty/a.pyc'))
    expect(await about(disk, 'empty')).toBeNull()
    expect(await put(disk, 'empty')).toEqual({ is: 'done' })
    renameSync(folder.at('out'), folder.at('out2'))
    expect(await about(disk, 'out')).toBeNull()
    expect(await put(disk, 'out')).toEqual({ is: 'done' })
  })

  it('S13 is reported when the ignored file above it goes, or a folder above that', async () => {
    const folder = makeFolder()
    folder.write('.gitignore', '*.o\n')
    folder.write('a.o')
    folder.write('deep/b.o')
    const disk = await open(folder)
    expect(await put(disk, 'a.o/new')).toMatchObject({ is: 'skipped' })
    expect(await put(disk, 'deep/b.o/new')).toMatchObject({ is: 'skipped' })
    rmSync(folder.at('a.o'))
    mkdirSync(folder.at('a.o'))
    expect(await about(disk, 'a.o/new')).toBeNull()
    rmSync(folder.at('deep'), { recursive: true })
    expect(await about(disk, 'deep/b.o/new')).toBeNull()
  })

  it('S9 is reported when the rule that kept it out is gone', async () => {
    const folder = makeFolder()
    folder.write('.gitignore', '*.log\n')
    const disk = await open(folder)
    expect(await put(disk, 'a.log')).toEqual({ is: 'skipped', why: 'ignored' })
    folder.write('.gitignore', '')
    expect(await about(disk, 'a.log')).toBeNull()
    expect(await put(disk, 'a.log')).toEqual({ is: 'done' })
  })
})

describe('after a refused write the state of the path is reported', () => {
  const cases: Record<string, [(folder: ReturnType<typeof makeFolder>) => void, null | string]> = {
    'a folder': [(folder) => mkdirSync(folder.at('a/b'), { recursive: true }), null],
    'an ignored folder': [(folder) => mkdirSync(folder.at('a/b.o'), { recursive: true }), null],
    'an ignored file': [(folder) => folder.write('a/b.o'), 'ignored'],
    nothing: [() => {}, null],
    'below a file': [(folder) => folder.write('a'), null],
    'below a link': [
      (folder) => {
        folder.write('real/b')
        symlinkSync('real', folder.at('a'))
      },
      null,
    ],
  }
  it.each(Object.entries(cases))(
    'S8 even if it is %s, and that was reported before',
    async (what, [make, heard]) => {
      const folder = makeFolder()
      writeFileSync(folder.at('.gitignore'), '*.o\n')
      make(folder)
      const path = what.includes('ignored') ? 'a/b.o' : 'a/b'
      const disk = await open(folder)
      expect(await put(disk, path, entry('another'))).toEqual({ is: 'changed' })
      expect(await about(disk, path)).toBe(heard)
      expect(await disk.open(at(path), entry('another'))).toBeNull()
      expect(await about(disk, path)).toBe(heard)
    },
  )
})
