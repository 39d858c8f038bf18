import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashOf, makeFolder, Watched } from './folder-watcher-under-test.ts'

const large = Buffer.alloc(40 * 1024 * 1024, 'a')

/** Comes back while this file is being read, at a moment when only a part of it has been. */
async function beingRead(file: string): Promise<void> {
  // However fast this machine reads: from here on it looks up after a few steps.
  let nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1))
  onTestFinished(() => clock.mockRestore())
  const isOpen = () => readdirSync('/proc/self/fd').some((handle) => leadsTo(handle) === file)
  while (!isOpen()) await new Promise((resolve) => setImmediate(resolve))
}

function changeFirstByte(file: string): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, 'b', 0)
  closeSync(handle)
}

function leadsTo(handle: string): string | null {
  try {
    return readlinkSync(path.join('/proc/self/fd', handle))
  } catch {
    return null // closed since it was listed
  }
}

describe.runIf(process.platform === 'linux')('a large file that has been read in part', () => {
  it.each([
    ['new', false],
    ['changed', true],
  ])('S8 is not reported at its old place when its folder is moved meanwhile: a %s one', async (_, isOld) => {
    const folder = makeFolder()
    if (isOld) folder.write('before/large', large)
    const watched = new Watched(folder)
    await watched.scanned()
    // From its beginning on: up to the first difference it would be read too fast for the test to see it open.
    if (isOld) changeFirstByte(folder.at('before/large'))
    else folder.write('before/large', large)
    await beingRead(folder.at('before/large'))
    renameSync(folder.at('before'), folder.at('after'))
    await watched.inStep()
    expect([...watched.told.keys()]).toEqual(['after/large'])
  })

  it('S9 is not reported if a rule ignores it meanwhile', async () => {
    const folder = makeFolder()
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('secrets/dump', large)
    await beingRead(folder.at('secrets/dump'))
    folder.write('.gitignore', 'dump\n')
    await watched.until(() => watched.told.has('.gitignore'))
    folder.write('later', 'bytes')
    folder.write('larger', Buffer.concat([large, large]).subarray(0, 49 * 1024 * 1024))
    // Large files are read one after the other: when this one has been, the other would have been before.
    await watched.until(() => watched.told.has('larger'))
    expect(watched.paths).not.toContain('secrets/dump')
  })

  it('S9 is skipped if the limit falls below its size meanwhile', async () => {
    const folder = makeFolder()
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('large', large)
    await beingRead(folder.at('large'))
    watched.eyes.limitSize(1024)
    await watched.until(() => watched.skips.has('large') || watched.told.has('large'))
    expect([watched.paths, watched.skips.get('large')]).toEqual([[], 'too-large'])
  })

  it('S9 is read on if neither a rule nor the limit says otherwise', async () => {
    const folder = makeFolder()
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('large', large)
    await beingRead(folder.at('large'))
    folder.write('.gitignore', 'dump\n')
    watched.eyes.limitSize(45 * 1024 * 1024)
    await watched.until(() => watched.told.has('large'))
    expect(watched.told.get('large')).toBe(`100644 ${hashOf(large)}`)
  })
})

describe('a file that is larger than the limit now', () => {
  it('S13 counts as grown if the reported content is its beginning, and not if it is another file', async () => {
    const folder = makeFolder()
    folder.write('grows', 'half')
    folder.write('replaced', 'half')
    const watched = new Watched(folder)
    watched.eyes.limitSize(100)
    await watched.scanned()
    appendFileSync(folder.at('grows'), ' and the rest'.repeat(50))
    // At once: while it is being written it may be seen empty, and everything begins with nothing.
    writeFileSync(path.join(folder.top, 'other'), 'x'.repeat(200))
    renameSync(path.join(folder.top, 'other'), folder.at('replaced'))
    await watched.until(() => watched.skips.size === 2)
    expect([...watched.outgrown]).toEqual(['grows'])
  })
})

describe('a large file that is moved into the folder', () => {
  it('S8 is read once: the next look need not read it again', async () => {
    const folder = makeFolder()
    const elsewhere = path.join(folder.top, 'large')
    writeFileSync(elsewhere, large)
    const longAgo = new Date(2001, 1)
    utimesSync(elsewhere, longAgo, longAgo)
    const watched = new Watched(folder)
    await watched.scanned()
    renameSync(elsewhere, folder.at('large'))
    await watched.until(() => watched.told.has('large'))
    expect(watched.eyes.known.stamp('large' as WorkspacePath)).not.toBe(0)
  })
})
