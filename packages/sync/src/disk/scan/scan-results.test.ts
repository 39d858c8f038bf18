import { type Stats, statSync } from 'node:fs'
import { FileEntry } from '@farhand/protocol/methods/files'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { KnownFiles } from '../index/known-files.ts'
import { unpackSeen } from '../report/packed-seen.ts'
import { PendingReport } from '../report/pending-report.ts'
import { GonePaths } from './gone-paths.ts'
import { ReadSchedule } from './read-schedule.ts'
import { ScanResults } from './scan-results.ts'
import { SkippedPaths } from './skipped-paths.ts'
import { WriteWaits } from './write-waits.ts'

const a = WorkspacePath.parse('a')
const entryOf = (letter: string) => FileEntry.parse({ mode: '100644', hash: `sha256_${letter.repeat(64)}` })
// Whose it is does not matter here, only that it is a file that has not changed for long.
const stats: Stats = statSync(new URL('./scan-results.ts', import.meta.url))
const whole = (letter: string) => ({ entry: entryOf(letter), size: 3, content: null, unchanged: true })

function looking() {
  const known = new KnownFiles()
  const pending = new PendingReport()
  const skips = new SkippedPaths(pending)
  const gone = new GonePaths(known, skips)
  const schedule = new ReadSchedule(new WriteWaits())
  const results = new ScanResults({
    known,
    before: null,
    pending,
    skips,
    gone,
    schedule,
    watch: { blind: null },
  })
  const said = () => {
    const { packed, skipped } = pending.take()
    const seen = unpackSeen(packed).map(({ path, entry }) => `${path} ${entry?.hash.at(-1) ?? 'gone'}`)
    return [...seen, ...skipped.map(({ path, why }) => `${path} ${why}`)]
  }
  const here = (letter: string) => results.present(a, stats, Date.now(), whole(letter))
  return { results, known, skips, said, here }
}

describe('scan results', () => {
  it('S7 a file is reported once, and again when it has changed', () => {
    const { said, here } = looking()
    here('1')
    expect(said()).toEqual(['a 1'])
    here('1')
    expect(said()).toEqual([])
    here('2')
    expect(said()).toEqual(['a 2'])
  })

  it('a forced look reports again what was reported before, once', () => {
    const { results, said, here } = looking()
    here('1')
    said()
    results.force('a')
    here('1')
    expect(said()).toEqual(['a 1'])
    here('1')
    expect(said()).toEqual([])
  })

  it('S9 a path that is left out is no file any more, and the reason is reported once', () => {
    const { results, known, skips, said, here } = looking()
    here('1')
    said()
    results.skip('a', 'too-large', 9)
    results.skip('a', 'too-large', 9)
    expect(said()).toEqual(['a too-large'])
    expect([known.has(a), skips.get('a')]).toEqual([false, 'too-large'])
  })

  it('that a path is ignored is reported if it was synced, or if a caller forces it', () => {
    const { results, said, here } = looking()
    results.skip('a', 'ignored')
    expect(said(), 'it was never reported').toEqual([])
    here('1')
    said()
    results.skip('a', 'ignored')
    expect(said()).toEqual(['a ignored'])
    results.force('a')
    results.skip('a', 'ignored')
    expect(said()).toEqual(['a ignored'])
  })

  it('a file that is back after it was left out is reported, though it was reported before', () => {
    const { results, skips, said, here } = looking()
    here('1')
    results.skip('a', 'unreadable')
    said()
    here('1')
    expect(said()).toEqual(['a 1'])
    expect(skips.has('a')).toBe(false)
  })

  it('a path that was never a file is not reported as gone', () => {
    const { results, said } = looking()
    results.skip('b', 'clash')
    said()
    results.absent('b')
    expect(said()).toEqual([])
    results.skip('b', 'special')
    said()
    results.absent('b')
    expect(said()).toEqual(['b gone'])
  })
})
