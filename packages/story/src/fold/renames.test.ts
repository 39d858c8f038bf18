import { expect, it } from 'vitest'
import { type ChangedRow, withRenames } from './renames.ts'

const row = (path: string, action: ChangedRow['action'], hash: string | null): ChangedRow => ({
  path,
  action,
  hash,
})

it('a file that is gone, and is elsewhere as it was, was renamed; whatever differs was deleted and created', () => {
  expect(
    withRenames([
      row('old.md', 'deleted', 'a'),
      row('kept.md', 'modified', 'c'),
      row('new.md', 'created', 'a'),
      row('gone.md', 'deleted', 'x'),
      row('other.md', 'created', 'y'),
      row('unknown.md', 'deleted', null),
    ]),
  ).toEqual([
    { path: 'kept.md', action: 'modified' },
    { path: 'new.md', action: 'renamed', from: 'old.md' },
    { path: 'gone.md', action: 'deleted' },
    { path: 'other.md', action: 'created' },
    { path: 'unknown.md', action: 'deleted' },
  ])
})

it('of one that is copied twice and gone, one copy is the renamed one', () => {
  const rows = [row('a', 'deleted', 'h'), row('b', 'created', 'h'), row('c', 'created', 'h')]
  expect(withRenames(rows)).toEqual([
    { path: 'b', action: 'renamed', from: 'a' },
    { path: 'c', action: 'created' },
  ])
})

it('of several with the same contents, the first that is gone is the first that is elsewhere', () => {
  const paths = ['a', 'b', 'c', 'd']
  const rows = [
    ...paths.slice(0, 3).map((path) => row(path, 'deleted', 'h')),
    ...paths.map((path) => row(`new ${path}`, 'created', 'h')),
  ]
  expect(withRenames(rows)).toEqual([
    ...paths.slice(0, 3).map((path) => ({ path: `new ${path}`, action: 'renamed', from: path })),
    { path: 'new d', action: 'created' },
  ])
})
