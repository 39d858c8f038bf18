import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Author, StoredEvent } from '@farhand/protocol/wire/event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { entryInWords, hashOf } from '../simulation/contents.ts'
import type { Agreement, Remembered } from './memory.ts'
import { Trees } from './trees.ts'

const us: Author = { kind: 'device', id: 'dev_laptop' }
const runner: Author = { kind: 'runner', generation: 1 }
const [a, b, inA] = ['a', 'b', 'a/in'] as [WorkspacePath, WorkspacePath, WorkspacePath]
const entry = (word: string | null): FileEntry | null =>
  (word && { mode: '100644', hash: hashOf(word) }) || null
const noListener = () => {}

function event(
  id: number,
  by: Author,
  path: WorkspacePath,
  to: string | null,
  was: string | null,
): StoredEvent {
  const file = { path, action: to ? 'modified' : 'deleted', ...entry(to), was: entry(was) }
  const method = by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync'
  const notification = { jsonrpc: '2.0' as const, method, params: { files: [file] } }
  return { id, type: 'notification', timestamp: '2026-01-01T00:00:00.000Z', notification, by }
}

const remembered = (trees: Trees, agreements: Agreement[] = []): Remembered =>
  JSON.parse(JSON.stringify({ ...trees.rows(), position: null, maxFileBytes: null, agreements }))

const at = (trees: Trees, path: WorkspacePath) =>
  `${entryInWords(trees.log(path))}, agreed ${entryInWords(trees.agreed(path))}, since ${trees.since(path).map(entryInWords).join(' ')}`.trim()

describe('what the log says and what was agreed', () => {
  it('S2 are the same where nothing happened, and what the run began with is agreed', () => {
    const trees = new Trees(null, [[a, entry('x')!]])
    expect(at(trees, a)).toBe('x, agreed x, since')
    expect(at(trees, b)).toBe('nothing, agreed nothing, since')
    expect([...trees.files()]).toEqual([a])
    expect([trees.count, trees.cursor, trees.author(a)]).toEqual([1, 0, null])
  })

  it('S2 differ when an event of another author comes, and all entries since then are remembered', () => {
    const trees = new Trees(null, [[a, entry('x')!]])
    expect(trees.take(event(1, runner, a, 'y', 'x'), false, noListener)).toMatchObject({
      touched: [a],
      agreements: [],
    })
    trees.take(event(2, runner, a, 'z', 'y'), false, noListener)
    expect(at(trees, a)).toBe('z, agreed x, since y z')
    expect([...trees.unsettled()]).toEqual([a])
    expect([trees.cursor, trees.author(a)]).toEqual([2, runner])
  })

  it('S7 are saved as they are now, whatever comes while that is being written', () => {
    const trees = new Trees(null, [[a, entry('x')!]])
    trees.take(event(1, runner, a, 'y', 'x'), false, noListener)
    const rows = trees.rows()
    const now = structuredClone(rows)
    trees.take(event(2, runner, a, 'z', 'y'), false, noListener)
    expect(rows).toEqual(now)
  })

  it('S2 are the same again once what the log says was taken; what was taken late is settled up to there', () => {
    const trees = new Trees(null)
    trees.take(event(1, runner, a, 'x', null), false, noListener)
    trees.take(event(2, runner, a, 'y', 'x'), false, noListener)
    expect(trees.agree(a, entry('x'))).toEqual({ path: a, entry: entry('x'), at: 2 })
    expect(at(trees, a)).toBe('y, agreed x, since y')
    trees.take(event(3, runner, a, 'z', 'y'), false, noListener)
    trees.take(event(4, runner, a, 'w', 'z'), false, noListener)
    trees.agree(a, entry('z'))
    expect(at(trees, a)).toBe('w, agreed z, since w')
    trees.agree(a, entry('w'))
    expect(at(trees, a)).toBe('w, agreed w, since')
    expect([...trees.unsettled()]).toEqual([])
  })

  it('S2 an agreement on what the log never held leaves everything it held since as news', () => {
    const trees = new Trees(null)
    trees.take(event(1, runner, a, 'x', null), false, noListener)
    trees.agree(a, entry('w'))
    expect(at(trees, a)).toBe('x, agreed w, since x')
  })

  it('S2 an event of our own is agreed, also if the log has moved on when it is read; the listener is called before', () => {
    const trees = new Trees(null)
    const moved: string[] = []
    const moving = (path: WorkspacePath) => moved.push(`${path} from ${entryInWords(trees.agreed(path))}`)
    const taken = trees.take(event(1, us, a, 'x', null), true, moving)
    expect(taken.agreements).toEqual([{ path: a, entry: entry('x'), at: 1 }])
    expect(at(trees, a)).toBe('x, agreed x, since')
    trees.take(event(2, us, inA, 'y', null), true, moving)
    expect(moved).toEqual(['a from nothing', 'a from x', 'a/in from nothing'])
    expect(at(trees, a)).toBe('nothing, agreed nothing, since')
  })

  it('S3 asks the log on the grounds of what was agreed', () => {
    const trees = new Trees(null)
    const rival: Author = { kind: 'device', id: 'dev_other' }
    trees.take(event(1, rival, a, 'x', null), false, noListener)
    const gone = (path: WorkspacePath) => path === a
    expect(trees.wouldCount(a, entry('y'), us, noListener as never)).toBe(false)
    expect(trees.wouldCount(inA, entry('y'), us, () => false)).toBe(false)
    trees.agree(a, entry('x'))
    expect(trees.wouldCount(a, entry('y'), us, () => false)).toBe(true)
    expect(trees.wouldCount(inA, entry('y'), us, () => false)).toBe(false)
    expect(trees.wouldCount(b, entry('y'), us, gone)).toBe(true)
  })
})

describe('what the run began with', () => {
  const base: [WorkspacePath, FileEntry][] = [
    [inA, entry('x')!],
    [b, entry('y')!],
    ['a/deep/er' as WorkspacePath, entry('z')!],
  ]

  it('S3 goes when a file is put in its way, above or below, and that is news', () => {
    const trees = new Trees(null, base)
    const { touched } = trees.take(event(1, runner, a, 'w', null), false, noListener)
    expect(new Set(touched)).toEqual(new Set([a, inA, 'a/deep/er']))
    expect(at(trees, inA)).toBe('nothing, agreed x, since nothing')
    expect(at(trees, b)).toBe('y, agreed y, since')
    trees.take(event(2, runner, 'b/in' as WorkspacePath, 'v', null), false, noListener)
    expect(at(trees, b)).toBe('nothing, agreed y, since nothing')
    expect(new Set(trees.files())).toEqual(new Set([a, 'b/in']))
    expect(trees.count).toBe(2)
    expect([...trees.agreedFiles()].sort()).toEqual(['a/deep/er', inA, b])
  })

  it('S3 goes once: what was agreed since about its place is not forgotten when the file in its way changes', () => {
    const trees = new Trees(null, base)
    trees.take(event(1, runner, a, 'w', null), false, noListener)
    trees.agree(inA, null)
    const { touched } = trees.take(event(2, runner, a, 'v', 'w'), false, noListener)
    expect(touched).toEqual([a])
    expect(at(trees, inA)).toBe('nothing, agreed nothing, since')
    expect(remembered(trees).base).toEqual([{ path: b, entry: entry('y') }])
  })

  it('S3 stays beside a file that is not in its way, and is no file any more when it is deleted', () => {
    const trees = new Trees(null, base)
    const { touched } = trees.take(event(1, runner, 'a/other' as WorkspacePath, 'w', null), false, noListener)
    expect(touched).toEqual(['a/other'])
    trees.take(event(2, runner, inA, null, 'x'), false, noListener)
    expect(new Set(trees.files())).toEqual(new Set([b, 'a/deep/er', 'a/other']))
    expect(trees.count).toBe(3)
    trees.take(event(3, runner, b, 'v', 'y'), false, noListener)
    trees.take(event(4, runner, a.concat('/new') as WorkspacePath, 'u', null), false, noListener)
    trees.take(event(5, runner, a.concat('/new') as WorkspacePath, null, 'u'), false, noListener)
    expect([...trees.agreedFiles()].sort()).toEqual(['a/deep/er', inA, b])
    trees.agree(inA, null)
    expect([...trees.agreedFiles()].sort()).toEqual(['a/deep/er', b])
  })
})

describe('what is remembered', () => {
  it('S7 goes on where it was: log, agreed, since, base and which side yields', () => {
    const trees = new Trees(null, [[b, entry('y')!]])
    trees.take(event(1, runner, a, 'x', null), false, noListener)
    trees.take(event(2, runner, a, 'z', 'x'), false, noListener)
    trees.preferLog(a)
    const next = new Trees(remembered(trees), [[inA, entry('not this one')!]])
    expect(at(next, a)).toBe('z, agreed nothing, since x z')
    expect([next.yields(a), next.yields(b), next.cursor]).toEqual([true, false, 2])
    expect(at(next, b)).toBe('y, agreed y, since')
    expect(at(next, inA)).toBe('nothing, agreed nothing, since')
    next.agree(a, entry('z'))
    expect(next.yields(a)).toBe(false)
  })

  it('S7 an agreement that was noted is older or newer than the rest, and counts when the log has come that far', () => {
    const early = new Trees(null)
    early.take(event(1, runner, a, 'x', null), false, noListener)
    const notes = [
      { path: a, entry: entry('y'), at: 3 },
      { path: a, entry: entry('x'), at: 1 },
    ]
    const trees = new Trees(remembered(early, notes))
    expect(at(trees, a)).toBe('x, agreed x, since')
    trees.take(event(2, runner, a, 'y', 'x'), false, noListener)
    expect(at(trees, a)).toBe('y, agreed x, since y')
    const { touched } = trees.take(event(3, runner, b, 'w', null), false, noListener)
    expect(new Set(touched)).toEqual(new Set([a, b]))
    expect(at(trees, a)).toBe('y, agreed y, since')
  })

  it('S7 of two notes about one path at the same event the later one counts', () => {
    const early = new Trees(null)
    early.take(event(1, runner, a, 'x', null), false, noListener)
    const notes = ['x', 'w'].map((word) => ({ path: a, entry: entry(word), at: 1 }))
    expect(at(new Trees(remembered(early, notes)), a)).toBe('x, agreed w, since')
  })

  it('S11 yields where it is told to, although nothing was unsettled there, until both sides are the same', () => {
    const trees = new Trees(null, [[a, entry('x')!]])
    trees.preferLog(a)
    expect(trees.yields(a)).toBe(true)
    expect(new Trees(remembered(trees)).yields(a)).toBe(true)
    trees.agree(a, entry('x'))
    expect(trees.yields(a)).toBe(false)
  })
})
