import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { beforeEach, describe, expect, it } from 'vitest'
import { KnownFiles } from '../index/known-files.ts'
import { PendingReport } from '../report/pending-report.ts'
import { GonePaths, gatherMs } from './gone-paths.ts'
import { SkippedPaths } from './skipped-paths.ts'

const nowMs = 1_000_000
const entry = { mode: '100644', hash: `sha256_${'a'.repeat(64)}` } as FileEntry

describe('gone paths', () => {
  let known: KnownFiles
  let skips: SkippedPaths
  let gone: GonePaths

  beforeEach(() => {
    known = new KnownFiles()
    skips = new SkippedPaths(new PendingReport())
    gone = new GonePaths(known, skips)
  })

  const know = (path: string, stamp: number) => known.set(path as WorkspacePath, { entry, stamp, size: 3 })

  it('a file that was known is looked at again a moment later, once', () => {
    know('a', 7)
    gone.missed('a', nowMs, false)
    gone.missed('a', nowMs + 5, false)
    expect(gone.nextMs).toBe(nowMs + gatherMs)
    expect(gone.take(nowMs + gatherMs - 1)).toEqual([])
    expect(gone.take(nowMs + gatherMs)).toEqual(['a'])
    expect(gone.nextMs).toBe(Number.POSITIVE_INFINITY)
  })

  it('a path that was never reported is not reported as gone, unless a caller forces it: then at once', () => {
    gone.missed('a', nowMs, false)
    expect(gone.take(nowMs + gatherMs)).toEqual([])
    gone.missed('a', nowMs, true)
    expect(gone.take(nowMs)).toEqual(['a'])
  })

  it('a forced look does not wait for the pause that began before', () => {
    know('a', 7)
    gone.missed('a', nowMs, false)
    gone.missed('a', nowMs, true)
    expect(gone.take(nowMs)).toEqual(['a'])
  })

  it('S9 a path that was left out is reported as gone like one that was synced', () => {
    skips.add('pipe', 'special', false)
    gone.missed('pipe', nowMs, false)
    expect(gone.take(nowMs + gatherMs)).toEqual(['pipe'])
  })

  it('with a folder all that was in it is gone, and nothing of its neighbours', () => {
    for (const path of ['sub/a', 'sub/deep/b', 'subway', 'c']) know(path, 7)
    skips.add('sub/pipe', 'special', false)
    skips.add('subway.pipe', 'special', false)
    gone.missedBelow('sub', nowMs)
    expect(gone.take(nowMs + gatherMs)).toEqual(['sub/a', 'sub/deep/b', 'sub/pipe'])
  })

  it('a file that went with its folder is known by its stamp, until everything has been found', () => {
    know('sub/a', 7)
    gone.missedBelow('sub', nowMs)
    expect(gone.movedAs(7)).toEqual({ entry, size: 3 })
    gone.rest()
    expect(gone.movedAs(7), 'its second look is still due').toEqual({ entry, size: 3 })
    gone.take(nowMs + gatherMs)
    gone.rest()
    expect(gone.movedAs(7)).toBeUndefined()
  })

  it('a stamp that cannot be trusted finds nothing again, and neither does that of a file missing on its own', () => {
    know('sub/a', 0)
    know('b', 8)
    gone.missedBelow('sub', nowMs)
    gone.missed('b', nowMs, false)
    expect(gone.movedAs(0)).toBeUndefined()
    expect(gone.movedAs(8)).toBeUndefined()
  })

  it('a file that is found in time has not gone', () => {
    know('a', 7)
    gone.missed('a', nowMs, false)
    gone.found('a')
    expect(gone.take(nowMs + gatherMs)).toEqual([])
  })

  it('a path that cannot exist is due at any time', () => {
    gone.atOnce('file/below')
    expect(gone.take(0)).toEqual(['file/below'])
  })

  it('nothing is reported while a folder may be moving, and for a little longer while there is more to look at', () => {
    know('a', 7)
    gone.missed('a', nowMs, false)
    expect(gone.holdUntilMs(nowMs, true), 'one file holds up no report').toBeLessThan(nowMs)
    know('sub/a', 7)
    gone.missedBelow('sub', nowMs)
    const untilMs = nowMs + gatherMs
    expect(gone.holdUntilMs(nowMs, true)).toBe(untilMs)
    expect(gone.holdUntilMs(untilMs, false)).toBe(untilMs)
    expect(gone.holdUntilMs(untilMs, true)).toBeGreaterThan(untilMs)
  })
})
