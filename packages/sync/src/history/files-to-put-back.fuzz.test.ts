import {
  hub,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  secondLaptop,
  web,
} from '@farhand/protocol/events/sample-log'
import { filesToPutBack } from '@farhand/protocol/files/files-to-put-back'
import type { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecordedChanges } from './recorded-changes.ts'
import { planRevert, sinceEvent } from './step-to-undo.ts'

const authors = [laptop, secondLaptop, web, runner] as const
const paths = ['a', 'a/b', 'a/b/c', 'a/d', 'e', 'e/f'] as const

const write = fc.record({
  by: fc.constantFrom(...authors),
  path: fc.constantFrom(...paths),
  text: fc.option(fc.constantFrom('x', 'y', 'z')),
  /** What its writer last knew: how it is now, or some other thing. */
  knew: fc.constantFrom('now', 'now', 'now', 'x', null),
})

const filesOf = (tree: WorkspaceTree) =>
  [...tree.files()].map(({ path, entry }) => `${path} ${entry.mode} ${entry.hash}`).sort()

it('S3 W39 after a rewind the files are as they were, for any writes by any authors in any order', () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 1, maxLength: 25 }), fc.nat(), (writes, where) => {
      const changes = new RecordedChanges()
      const trees: string[][] = [[]]
      const take = (event: SeenEvent) => {
        changes.take(event)
        trees.push(filesOf(changes.versions.tree))
      }
      let id = 0
      const event = (by: (typeof authors)[number], params: Record<string, unknown>): SeenEvent => {
        const method = by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync'
        const [made] = sampleLog([by, method, params])
        id += 1
        return { ...made!, id }
      }
      for (const { by, path, text, knew } of writes) {
        const now = changes.versions.tree.entry(path as never) ?? null
        const was = knew === 'now' ? now : knew && { mode: '100644', hash: sampleHash(knew) }
        const what = text === null ? { action: 'deleted' } : { action: 'modified', hash: sampleHash(text) }
        take(event(by, { path, ...what, was }))
      }
      const to = where % (writes.length + 1)
      const { tree } = changes.versions
      const { back, leftAlone } = planRevert(sinceEvent(changes.all, to), (path) => tree.entry(path))
      expect(leftAlone).toEqual([])
      for (const files of filesToPutBack(back, changes.versions)) take(event(web, { files }))
      // The first writer of a path is believed about what was there: there may be more files than the log had.
      const then = trees[to]!
      const now = trees.at(-1)!
      expect(then.filter((line) => !now.includes(line))).toEqual([])
      const known = new Set(
        changes.all
          .filter(({ eventId }) => eventId <= to)
          .flatMap(({ turned }) => turned.map(({ path }) => path)),
      )
      expect(now.filter((line) => known.has(line.split(' ')[0] as never))).toEqual(then)
    }),
    { numRuns: 500 },
  )
})

it('W39 so many files as no event holds are put back in several', () => {
  const changes = new RecordedChanges()
  const [start] = sampleLog([hub, '_posthog/session_start', { generation: 1 }])
  changes.take(start!)
  const names = Array.from({ length: 2500 }, (_, nth) => `folder/file-${nth}`)
  const back = names.map((path) => ({
    path: path as never,
    before: { mode: '100644' as const, hash: sampleHash('x') },
    after: null,
  }))
  const portions = [...filesToPutBack(back, changes.versions)]
  expect(portions.map(({ length }) => length)).toEqual([1000, 1000, 500])
})
