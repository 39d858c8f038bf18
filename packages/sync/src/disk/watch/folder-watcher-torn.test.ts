import { lstatSync, utimesSync, writeFileSync } from 'node:fs'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { stampOf } from '../index/file-stamp.ts'
import { hashOf, makeFolder, Watched } from './folder-watcher-under-test.ts'

const large = Buffer.alloc(2 * 1024 * 1024, 'a')
const larger = Buffer.alloc(40 * 1024 * 1024, 'a')

/** As if the eyes had read it when a write had begun: the system sets a file's times then, and not when it ends. */
function seenAsTheWriteBegan(watched: Watched, name: string, file: string): void {
  const { known } = watched.eyes
  const path = name as WorkspacePath
  known.set(path, { ...known.get(path)!, stamp: stampOf(lstatSync(file)) })
}

describe('a file that was read in the middle of one long write', () => {
  it.each([
    ['small', Buffer.from('before'), Buffer.from('behind')],
    ['large', large, Buffer.alloc(large.length, 'b')],
  ])('S8 is read again when that ends, though its size and times are the same: %s', async (name, was, is) => {
    const folder = makeFolder()
    folder.write(name, was)
    const watched = new Watched(folder)
    await watched.scanned()
    writeFileSync(folder.at(name), is, { flag: 'r+' })
    seenAsTheWriteBegan(watched, name, folder.at(name))
    await watched.inStep()
    expect(watched.told.get(name)).toBe(`100644 ${hashOf(is)}`)
  })

  it('S8 is not trusted for a while if no watch tells when the write ends', async () => {
    const folder = makeFolder()
    const path = 'a' as WorkspacePath
    const watched = new Watched(folder, { mostWatches: 0 })
    await watched.until(() => watched.last?.blind !== undefined)
    // As if the write had begun a second ago, and still went on.
    folder.write(path, 'half of each')
    const { atime } = lstatSync(folder.at(path))
    utimesSync(folder.at(path), atime, new Date(Date.now() - 1_000))
    await watched.inStep()
    expect(watched.eyes.known.stamp(path)).toBe(0)
  })

  it('S8 is not trusted by a single look either, if that takes so long that the write may end meanwhile', async () => {
    const folder = makeFolder()
    const path = 'large' as WorkspacePath
    folder.write(path, larger)
    const watched = new Watched(folder)
    await watched.inStep()
    const { known } = watched.eyes
    known.distrust(path)
    const looked = watched.eyes.look([path])
    expect(await looked).toEqual([
      { path, entry: { mode: '100644', hash: hashOf(larger) }, size: larger.length },
    ])
    expect(known.stamp(path)).toBe(0)
  })
})
