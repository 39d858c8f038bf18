import { closeSync, lstatSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Known } from './file-rows.ts'
import { isRacy, stampOf } from './file-stamp.ts'
import { KnownFiles } from './known-files.ts'

const at = (text: string) => text as WorkspacePath
const entry = (digit: string, mode: FileEntry['mode'] = '100644') =>
  ({ mode, hash: `sha256_${digit.repeat(64)}` }) as FileEntry

describe('KnownFiles', () => {
  it('gives back what it was given, like a map of paths would', () => {
    const paths = fc.constantFrom('a', 'b', 'a/b', 'a/b/c', 'a/d', 'e/f/g/h', 'e/f', 'é/ü').map(at)
    const known = fc.record({
      entry: fc
        .tuple(fc.constantFrom('0', '7', 'f'), fc.constantFrom('100644', '100755', '120000'))
        .map(([digit, mode]) => entry(digit, mode as FileEntry['mode'])),
      stamp: fc.maxSafeNat(),
      size: fc.maxSafeNat(),
    })
    const steps = fc.array(fc.tuple(paths, fc.option(known)), { maxLength: 200, size: 'max' })
    fc.assert(
      fc.property(steps, (changes) => {
        const files = new KnownFiles()
        const model = new Map<WorkspacePath, Known>()
        for (const [path, value] of changes) {
          if (value) files.set(path, value)
          else expect(files.delete(path)).toBe(model.has(path))
          if (value) model.set(path, value)
          else model.delete(path)
        }
        expect(files.count).toBe(model.size)
        expect([...files.below('')].sort()).toEqual([...model.keys()].sort())
        for (const [path, value] of model) expect(files.get(path)).toEqual(value)
      }),
    )
  })

  it('forgets folders with their last file', () => {
    const files = new KnownFiles()
    files.set(at('a/b/c'), { entry: entry('1'), stamp: 1, size: 1 })
    files.set(at('a/d'), { entry: entry('1'), stamp: 1, size: 1 })
    files.delete(at('a/b/c'))
    expect(files.folder('a/b')).toBeUndefined()
    expect([...files.below('a')]).toEqual(['a/d'])
    files.delete(at('a/d'))
    expect(files.folder('')!.folders.size).toBe(0)
  })

  it('S10 knows how the disk spells folders and files whose names are not in NFC', () => {
    const files = new KnownFiles()
    expect(files.onDisk('é/x/ü')).toBe('é/x/ü')
    files.spell('é', 'é'.normalize('NFD'))
    files.spell('é/x/ü', 'ü'.normalize('NFD'))
    expect(files.onDisk('é/x/ü')).toBe('é/x/ü'.normalize('NFD'))
    files.spell('é', 'é')
    expect(files.onDisk('é/x/ü')).toBe(`é/x/${'ü'.normalize('NFD')}`)
  })
})

describe('stampOf', () => {
  it('changes with size, times, inode and mode, each alone, and is never 0', () => {
    const base = { size: 1, mtimeMs: 1.5, ctimeMs: 2.5, ino: 3, mode: 33188 }
    const all = [base, ...Object.keys(base).map((key) => ({ ...base, [key]: 7.25 }))]
    const swapped = { ...base, mtimeMs: base.ctimeMs, ctimeMs: base.mtimeMs }
    const stamps = [...all, swapped].map((stats) => stampOf(stats as never))
    expect(new Set(stamps).size).toBe(stamps.length)
    expect(stamps.every((stamp) => Number.isSafeInteger(stamp) && stamp > 0)).toBe(true)
  })

  it('a file is racy right after it was written, and when its time is in the future', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stamp-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'f')
    writeFileSync(file, 'one')
    const stats = lstatSync(file)
    expect(isRacy(stats, stats.mtimeMs + 1)).toBe(true)
    expect(isRacy(stats, stats.mtimeMs - 60_000)).toBe(true)
    expect(isRacy(stats, stats.mtimeMs + 1000)).toBe(false)
    const seenAtMs = Date.now()
    const handle = openSync(file, 'r+')
    writeSync(handle, 'two')
    closeSync(handle)
    // When it was looked at, and not later: however long this takes, who looked then knows, or sees it now.
    expect(isRacy(stats, seenAtMs) || stampOf(lstatSync(file)) !== stampOf(stats)).toBe(true)
  })
})
