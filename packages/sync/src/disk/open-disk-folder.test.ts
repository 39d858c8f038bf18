import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diskFolderContract } from '../engine/disk-folder.contract.ts'
import type { DiskFolder, DiskReport } from '../engine/disk-folder.ts'
import { entryAt } from './index/file-entry.ts'
import { openDiskFolder } from './open-disk-folder.ts'
import { hashOf, makeFolder } from './watch/folder-watcher-under-test.ts'
import { FolderInUse } from './workspace/folder-in-use.ts'

const at = (text: string) => text as WorkspacePath
const entry = (text: string | Uint8Array, mode: FileEntry['mode'] = '100644') =>
  ({ mode, hash: hashOf(text) }) as FileEntry
const forever = new AbortController().signal

async function open(folder: ReturnType<typeof makeFolder>, maxFileBytes = 50_000_000): Promise<DiskFolder> {
  const disk = await openDiskFolder({ root: folder.root, state: folder.state, maxFileBytes })
  onTestFinished(() => disk.close())
  return disk
}

async function scanned(disk: DiskFolder): Promise<Map<string, string>> {
  const told = new Map<string, string>()
  for (;;) {
    const { seen, scanned } = await disk.next(forever)
    for (const { path, entry } of seen) told.set(path, `${entry?.mode} ${entry?.hash}`)
    if (scanned) return told
  }
}

/** What is reported of this path once it has this content: while it is written it may be seen empty or half there. */
async function about(
  disk: DiskFolder,
  path: string,
  content: string | Uint8Array,
): Promise<DiskReport['seen'][number]> {
  for (;;) {
    const { seen } = await disk.next(forever)
    const found = seen.find((one) => one.path === path && one.entry?.hash === hashOf(content))
    if (found) return found
  }
}

describe('a disk folder with a thread of its own', () => {
  it('reports the files that are there and those that change, with their bytes', async () => {
    const folder = makeFolder()
    folder.write('a/b', 'one')
    const disk = await open(folder)
    expect(await scanned(disk)).toEqual(new Map([['a/b', `100644 ${hashOf('one')}`]]))
    folder.write('a/b', 'two')
    const seen = await about(disk, 'a/b', 'two')
    expect(seen.entry).toEqual(entry('two'))
    expect(Buffer.from(seen.content!).toString()).toBe('two')
  })

  it('is quiet when all that was done before has been reported and dealt with, deletions too', async () => {
    const folder = makeFolder()
    for (const name of ['a', 'b', 'c']) folder.write(name, 'one')
    const disk = await open(folder)
    await scanned(disk)
    folder.write('a', 'two')
    rmSync(folder.at('b'))
    const told = new Map<string, boolean>()
    let isQuiet = false
    const quiet = disk.quiet!().then(() => {
      isQuiet = true
    })
    while (!told.has('a') || !told.has('b')) {
      for (const { path, entry } of (await disk.next(forever)).seen) told.set(path, entry !== null)
      expect(isQuiet).toBe(false)
    }
    disk.next(forever).catch(() => {})
    await quiet
    expect(told).toEqual(
      new Map([
        ['a', true],
        ['b', false],
      ]),
    )
  })

  it('S7 does not report its own writes, and reports what others write over them', async () => {
    const folder = makeFolder()
    folder.write('old', 'old')
    const disk = await open(folder)
    await scanned(disk)
    expect(await disk.leftBehind()).toEqual([])
    const content = Buffer.from('new')
    const put = { path: at('deep/new'), from: null, to: entry('new', '100755'), size: 3, content }
    const gone = { path: at('old'), from: entry('old'), to: null, size: 0 }
    const wrong = { path: at('other'), from: entry('x'), to: null, size: 0 }
    expect(await disk.apply([put, gone, wrong])).toEqual([{ is: 'done' }, { is: 'done' }, { is: 'changed' }])
    disk.settled(1)
    expect(readFileSync(folder.at('deep/new'), 'utf8')).toBe('new')
    expect(statSync(folder.at('deep/new')).mode & 0o111).not.toBe(0)
    expect(statSync(folder.at('old'), { throwIfNoEntry: false })).toBeUndefined()
    folder.write('deep/new', 'theirs')
    const reports: string[] = []
    for (let last = ''; last !== 'deep/new'; ) {
      const { seen } = await disk.next(forever)
      reports.push(...seen.map(({ path }) => path))
      last = reports.at(-1) ?? ''
    }
    expect(reports).toEqual(['other', 'deep/new'])
  })

  it('S6 stages large contents, and renames them into place', async () => {
    const folder = makeFolder()
    const disk = await open(folder)
    await scanned(disk)
    const bytes = Buffer.alloc(3_000_000, 'farhand')
    async function* pieces() {
      for (let from = 0; from < bytes.length; from += 700_000) yield bytes.subarray(from, from + 700_000)
    }
    const staged = await disk.stage(pieces())
    const change = { path: at('large'), from: null, to: entry(bytes), size: bytes.length, staged }
    expect(await disk.apply([change])).toEqual([{ is: 'done' }])
    expect(readFileSync(folder.at('large')).equals(bytes)).toBe(true)
    expect(await disk.look([at('large'), at('nothing')])).toMatchObject([
      { entry: entry(bytes) },
      { entry: null },
    ])
  })

  it('opens small and large files while they are as reported, and not when they have changed', async () => {
    const folder = makeFolder()
    const large = Buffer.alloc(400_000, 'x')
    folder.write('small', 'bytes')
    folder.write('large', large)
    for (const name of ['small', 'large']) utimesSync(folder.at(name), 1000, 1000)
    const disk = await open(folder)
    await scanned(disk)
    expect(Buffer.from((await disk.open(at('small'), entry('bytes'))) as Uint8Array).toString()).toBe('bytes')
    const blob = (await disk.open(at('large'), entry(large))) as Blob
    expect(Buffer.from(await blob.arrayBuffer()).equals(large)).toBe(true)
    folder.write('large', Buffer.alloc(400_000, 'y'))
    expect(await disk.open(at('large'), entry(large))).toBeNull()
    expect(await disk.open(at('gone'), entry('x'))).toBeNull()
    expect((await about(disk, 'large', Buffer.alloc(400_000, 'y'))).entry).toEqual(
      entry(Buffer.alloc(400_000, 'y')),
    )
  })

  it('holds reports until the caller asks for them, and loses none', async () => {
    const folder = makeFolder()
    for (let file = 0; file < 3000; file++) folder.write(`${file % 20}/f${file}`, `${file}`)
    const disk = await open(folder)
    const first = await disk.next(forever)
    for (let file = 0; file < 3000; file++) folder.write(`${file % 20}/f${file}`, `${file} again`)
    const told = new Map(first.seen.map(({ path, entry }) => [path as string, entry?.hash as string]))
    for (let isWhole = false; !isWhole; ) {
      const { seen } = await disk.next(forever)
      expect(seen.filter(({ content }) => content).length).toBeLessThanOrEqual(512)
      for (const { path, entry } of seen) told.set(path, entry!.hash)
      isWhole =
        told.size === 3000 &&
        [...told].every(([path, hash]) => hash === hashOf(`${path.split('f')[1]} again`))
    }
  })

  it('cannot be opened if there is no folder, and passes on the system’s error', async () => {
    const folder = makeFolder()
    rmSync(folder.root, { recursive: true })
    await expect(open(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('S8 cannot be opened twice, not even with another state folder; a crash leaves it free', async () => {
    const folder = makeFolder()
    const first = await open(folder)
    await scanned(first)
    const other = { ...folder, state: `${folder.state}-other` }
    mkdirSync(other.state)
    await expect(open(other)).rejects.toBeInstanceOf(FolderInUse)
    await expect(open(other)).rejects.toMatchObject({ pid: process.pid, code: 'FOLDER_IN_USE' })
    await first.close()
    folder.write(
      '.farhand/incoming/lock',
      JSON.stringify({ pid: process.pid, started: 'long ago', key: 'k' }),
    )
    const second = await open(other)
    await scanned(second)
    await second.close()
    expect(existsSync(folder.at('.farhand/incoming/lock'))).toBe(false)
  })

  it('ends when it is closed: a waiting caller is told so, and a caller may stop waiting before', async () => {
    const folder = makeFolder()
    mkdirSync(folder.at('empty'))
    const disk = await open(folder)
    await scanned(disk)
    const stop = new AbortController()
    const waiting = disk.next(stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const next = disk.next(forever)
    const heard = expect(next).rejects.toThrow('closed')
    await disk.close()
    await heard
    await expect(disk.look([at('a')])).rejects.toThrow('closed')
    await disk.close()
  })
})

diskFolderContract('with a thread of its own', () => {
  const folder = makeFolder()
  let disk: DiskFolder | null = null
  onTestFinished(() => disk?.close())
  return {
    open: async () => {
      await disk?.close()
      disk = await openDiskFolder({ root: folder.root, state: folder.state, maxFileBytes: 50_000_000 })
      return disk
    },
    write: (name, text, mode = '100644') => {
      folder.write(name, text)
      chmodSync(folder.at(name), mode === '100755' ? 0o755 : 0o644)
    },
    remove: (name) => rmSync(folder.at(name)),
    holds: () => {
      const all = readdirSync(folder.root, { recursive: true, withFileTypes: true })
      const files = all.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name))
      const synced = files.filter((file) => !file.startsWith(folder.at('.farhand')))
      return Object.fromEntries(synced.map((file) => [path.relative(folder.root, file), entryAt(file)!]))
    },
    entry,
    bytes: (text) => Buffer.from(text),
    size: (text) => text.length,
    large: 'large '.repeat(500_000),
  }
})
