import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laptop, runner, sampleHash, secondLaptop, secondRunner, web } from '../events/sample-log.ts'
import type { FileEntry } from '../methods/files.ts'
import type { SeenAuthor, SeenEvent } from '../wire/seen-event.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { sameEntry } from './path-history.ts'
import { WorkspaceTree } from './workspace-tree.ts'

type Entry = FileEntry | null
type Write = { by: SeenAuthor; path: WorkspacePath; entry: Entry; was: Entry | undefined }

const universe = ['a', 'a/b', 'a/b/c', 'a/d', 'e', 'e/f'] as WorkspacePath[]
const entries: Entry[] = [
  null,
  ...['x', 'y', 'z'].map((one): Entry => ({ mode: '100644', hash: sampleHash(one) })),
]

/** S3 word for word: every path's whole history, nothing saved, nothing clever. */
class PlainTree {
  readonly histories = new Map(
    universe.map((path) => [path, [] as { entry: Entry; by: SeenAuthor; eventId: number }[]]),
  )

  now(path: WorkspacePath): Entry | undefined {
    return this.histories.get(path)!.at(-1)?.entry
  }

  counts({ by, path, entry, was }: Write): boolean {
    if (was === undefined) return true
    const history = this.histories.get(path)!
    const since = (k: number) => history.slice(k).map((version) => version.by)
    const last = history.findLastIndex((version) => sameEntry(version.entry, was))
    const mayChange = (who: SeenAuthor) => who.kind === 'runner' || JSON.stringify(who) === JSON.stringify(by)
    const counts =
      history.length === 0 ||
      sameEntry(this.now(path)!, was) ||
      (by.kind !== 'runner' && since(last + 1).every(mayChange))
    const lastBy = (q: WorkspacePath) => this.histories.get(q)!.at(-1)!.by
    const removesOfOthers = this.removes(path).some((q) => !mayChange(lastBy(q)))
    return counts && !(entry !== null && removesOfOthers)
  }

  removes(path: WorkspacePath): WorkspacePath[] {
    const inTheWay = universe.filter((q) => path.startsWith(`${q}/`) || q.startsWith(`${path}/`))
    return inTheWay.filter((q) => this.now(q))
  }

  apply(write: Write, eventId: number): void {
    if (!this.counts(write)) return
    const { by, path, entry } = write
    if (entry) {
      const inTheWay = universe.filter((q) => path.startsWith(`${q}/`) || q.startsWith(`${path}/`))
      for (const q of inTheWay)
        if (this.now(q) !== null) this.histories.get(q)!.push({ entry: null, by, eventId })
    }
    this.histories.get(path)!.push({ entry, by, eventId })
  }
}

const fileOf = ({ path, entry, was }: Write) => ({
  path,
  action: entry ? 'modified' : 'deleted',
  ...entry,
  ...(was !== undefined && { was }),
})

const eventOf = (write: Write, id: number, ...more: Write[]): SeenEvent => ({
  id,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  by: write.by,
  notification: {
    jsonrpc: '2.0',
    method: write.by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync',
    params: more.length > 0 ? { files: [write, ...more].map(fileOf) } : fileOf(write),
  },
})

const authors = fc.constantFrom<SeenAuthor>(
  runner,
  secondRunner,
  laptop,
  secondLaptop,
  web,
  // Another author of the same name, and one of an unknown kind (W27).
  { kind: 'channel', id: 'usr_someone0' },
  { kind: 'other', said: 'robot', id: 'usr_someone0' },
  { kind: 'other', said: 'droid', id: 'usr_someone0' },
)
const anyWrite: fc.Arbitrary<Write> = fc.record({
  by: authors,
  path: fc.constantFrom(...universe),
  entry: fc.constantFrom(...entries),
  was: fc.constantFrom(...entries, undefined),
})
// On one or two paths, so that histories get long enough to matter.
const fewPaths = anyWrite.map(
  (write): Write => ({ ...write, path: universe[write.path.length > 1 ? 0 : 4]! }),
)
const writes = fc.oneof(
  fc.array(anyWrite, { maxLength: 40, size: 'max' }),
  fc.array(fewPaths, { maxLength: 40, size: 'max' }),
)

describe('any log at all', () => {
  it('S3 folds to the same as the rule, implemented word for word', () => {
    fc.assert(
      fc.property(writes, (writes) => {
        const tree = new WorkspaceTree()
        const plain = new PlainTree()
        writes.forEach((write, index) => {
          expect(tree.wouldCount(write, write.by)).toBe(plain.counts(write))
          const before = new Map(universe.map((path) => [path, plain.now(path)]))
          const { changes } = tree.apply(eventOf(write, index + 1))
          for (const change of changes) expect(change.before, change.path).toEqual(before.get(change.path))
          plain.apply(write, index + 1)
          for (const path of universe) {
            expect(tree.entry(path), path).toEqual(plain.now(path))
            expect(tree.version(path), path).toEqual(plain.histories.get(path)!.at(-1))
          }
          const told = new Set<string>(changes.map(({ path }) => path))
          for (const path of universe) {
            const [was, is] = [before.get(path), plain.now(path)]
            // What only the base may have had is not listed one by one: the log does not know the base.
            if (was === undefined && is === null && path !== write.path) continue
            expect(told.has(path), path).toBe(is !== undefined && (was === undefined || !sameEntry(was, is)))
          }
        })
        expect(tree.size).toBe(universe.filter((path) => plain.now(path)).length)
        const files = new Map([...tree.files()].map(({ path, entry }) => [path, entry]))
        expect(files).toEqual(
          new Map(universe.flatMap((path) => (plain.now(path) ? [[path, plain.now(path)]] : [])) as never),
        )
      }),
      { numRuns: 600 },
    )
  })

  it('S3 a tree that was stored as rows goes on as if it had not been', () => {
    fc.assert(
      fc.property(writes, writes, fc.integer({ min: 1, max: 3 }), (before, after, each) => {
        const tree = new WorkspaceTree()
        let id = 0
        // Several files of one event share their author and their id.
        for (; id * each < before.length; id += 1) {
          const [first, ...more] = before.slice(id * each, (id + 1) * each)
          tree.apply(eventOf(first!, id + 1, ...more))
        }
        const copy = WorkspaceTree.from(JSON.parse(JSON.stringify([...tree.rows()].reverse())))
        expect(new Set(copy.rows())).toEqual(new Set(tree.rows()))
        expect(copy.size).toBe(tree.size)
        for (const write of after) {
          for (const path of universe) expect(copy.version(path)).toEqual(tree.version(path))
          expect(copy.wouldCount(write, write.by)).toBe(tree.wouldCount(write, write.by))
          const event = eventOf(write, ++id)
          const [did, would] = [copy.apply(event), tree.apply(event)]
          expect(new Set(did.changes)).toEqual(new Set(would.changes))
          expect(new Set(did.kept)).toEqual(new Set(would.kept))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('S3 of two devices that agreed on the same, only one counts', () => {
    fc.assert(
      fc.property(writes, fc.constantFrom(...universe), fc.constantFrom(...entries), (log, path, was) => {
        const tree = new WorkspaceTree()
        log.forEach((write, index) => void tree.apply(eventOf(write, index + 1)))
        const [first, second] = entries.filter((entry) => !sameEntry(entry, was))
        const mine: Write = { by: laptop, path, entry: first!, was }
        if (!tree.wouldCount(mine, laptop)) return
        tree.apply(eventOf(mine, log.length + 1))
        expect(tree.wouldCount({ path, entry: second!, was }, secondLaptop)).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it('S3 what a device wrote is never undone by a runner that had not seen it', () => {
    fc.assert(
      fc.property(writes, fewPaths, fc.array(anyWrite, { maxLength: 10 }), (log, write, later) => {
        const tree = new WorkspaceTree()
        let id = 0
        for (const one of log) tree.apply(eventOf(one, ++id))
        const mine = { ...write, by: laptop }
        if (!tree.wouldCount(mine, laptop)) return
        tree.apply(eventOf(mine, ++id))
        for (const one of later) {
          const unseen = one.was !== undefined && (one.path !== mine.path || !sameEntry(one.was, mine.entry))
          // A file below one that the device deleted is new: nothing of the device's is undone by it.
          if (unseen) tree.apply(eventOf({ ...one, by: runner }, ++id))
        }
        expect(tree.entry(mine.path)).toEqual(mine.entry)
      }),
      { numRuns: 1000 },
    )
  })

  it('S4 every version that is no longer in the tree was reported as kept', () => {
    fc.assert(
      fc.property(writes, (writes) => {
        const tree = new WorkspaceTree()
        const kept = new Set<string>()
        writes.forEach((write, index) => {
          for (const { path, entry } of tree.apply(eventOf(write, index + 1)).kept)
            kept.add(`${path} ${entry.hash}`)
        })
        for (const { path, entry } of writes) {
          if (!entry || sameEntry(tree.entry(path) ?? null, entry)) continue
          expect(kept).toContain(`${path} ${entry.hash}`)
        }
      }),
    )
  })
})
