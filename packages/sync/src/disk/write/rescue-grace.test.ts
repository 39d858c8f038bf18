import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashOf } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import { at } from './applier-under-test.ts'
import { RescueGrace } from './rescue-grace.ts'
import { RescuedFiles } from './rescued-files.ts'

const graceMs = 2000
const large = Buffer.alloc(40 * 1024 * 1024, 'l')
const entryOf = (bytes: Uint8Array) => ({ mode: '100644' as const, hash: hashOf(bytes) })
const torn = entryOf(Buffer.from('half of each'))

describe('files that were replaced', () => {
  let root: string
  let file: string
  let rescued: RescuedFiles
  let grace: RescueGrace

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'farhand-grace-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    mkdirSync(join(root, '.farhand/incoming'), { recursive: true })
    file = join(root, '.farhand/incoming/replaced')
    rescued = new RescuedFiles(root)
    grace = new RescueGrace(rescued, graceMs)
  })

  /** This is what the file holds in the end, and its times say that no program wrote to it since it was replaced. */
  const replaced = (bytes: Uint8Array, from = torn, writtenBeforeMs = 0) => {
    writeFileSync(file, bytes)
    // Only now: a busy machine takes longer to write the large one than the grace time is.
    const sinceMs = Date.now()
    const writtenAt = new Date(sinceMs - writtenBeforeMs)
    utimesSync(file, writtenAt, writtenAt)
    const stamp = stampOf(lstatSync(file))
    grace.add({ n: 1, file, path: at('a'), from, to: null, stamp, sinceMs })
  }
  const sweep = () => grace.sweep(Date.now() + 10 * graceMs, 1)
  const sweepAll = () => {
    let sweeps = 1
    while (sweep() !== null) sweeps += 1
    return sweeps
  }
  /** However fast this machine reads. */
  const passesBetweenLooks = (ms: number) => {
    let nowMs = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += ms))
    onTestFinished(() => clock.mockRestore())
  }
  const left = () => readdirSync(join(root, '.farhand/incoming')).filter((name) => name === 'replaced')

  it.each([
    ['small', Buffer.from('all of it')],
    ['large', large],
  ])('S4 one whose last write had begun before and ended after it is rescued: a %s one', (_, bytes) => {
    replaced(bytes)
    sweepAll()
    const news = rescued.news()
    expect(news).toMatchObject([{ path: 'a', entry: entryOf(bytes) }])
    // A large one stays on the disk.
    expect(news[0]!.content === undefined).toBe(bytes.length > 1024 * 1024)
  })

  it('one is deleted with each look, also if its time is over before it began', () => {
    passesBetweenLooks(1000)
    replaced(Buffer.from('all of it'), entryOf(Buffer.from('all of it')))
    expect([sweep(), left()]).toEqual([null, []])
  })

  it.each([
    ['small', Buffer.from('all of it')],
    ['large', large],
  ])('S4 one that is unchanged is deleted: a %s one', (_, bytes) => {
    replaced(bytes, entryOf(bytes))
    sweepAll()
    expect([rescued.news(), left()]).toEqual([[], []])
  })

  it('S4 one that has become executable since is rescued', () => {
    const bytes = Buffer.from('all of it')
    replaced(bytes, entryOf(bytes))
    chmodSync(file, 0o755)
    sweepAll()
    expect(rescued.news()).toMatchObject([{ path: 'a', entry: { ...entryOf(bytes), mode: '100755' } }])
  })

  it('S4 one that no program can have been writing to when it was replaced is deleted without being read', () => {
    replaced(large, torn, 2 * graceMs)
    expect(sweepAll()).toBe(1)
    expect([rescued.news(), left()]).toEqual([[], []])
  })

  it('S4 a large one is read a little at a time, and as it is in the end', () => {
    passesBetweenLooks(1)
    replaced(large, entryOf(large))
    expect(sweep()).toBe(1)
    expect(left()).toHaveLength(1)
    appendFileSync(file, 'late')
    sweepAll()
    expect(rescued.news()).toMatchObject([{ entry: entryOf(Buffer.concat([large, Buffer.from('late')])) }])
  })

  it('one that has been read in part stays when there is no time for more', () => {
    passesBetweenLooks(1)
    replaced(large)
    sweep()
    grace.close()
    expect([grace.isEmpty, left().length]).toEqual([false, 1])
  })
})
