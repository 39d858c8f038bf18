import { runner, sampleHash } from '@farhand/protocol/events/sample-log'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import type { ChangedFile } from './changed-since.ts'
import { withRenames } from './with-renames.ts'

const entry = (letter: string, mode: FileEntry['mode'] = '100644') => ({ mode, hash: sampleHash(letter) })
const change = (path: string, before: ChangedFile['before'], after: ChangedFile['after']): ChangedFile => ({
  path: path as WorkspacePath,
  before,
  after,
  how: after === null ? 'deleted' : before === null ? 'added' : 'changed',
  by: runner,
  at: '2026-01-01T00:00:00Z',
})
const listed = (...changed: ChangedFile[]) =>
  withRenames(changed).map(({ path, how, from }) => [path, how, from?.path ?? null])

describe('files that changed', () => {
  it('are one change if a file has moved, also if it became executable', () => {
    const old = change('a/roses.ts', entry('r'), null)
    expect(
      listed(old, change('b/roses.ts', null, entry('r', '100755')), change('c', entry('c'), entry('d'))),
    ).toEqual([
      ['b/roses.ts', 'renamed', 'a/roses.ts'],
      ['c', 'changed', null],
    ])
  })

  it('are not joined if a copy was made, a file was deleted, or the earlier content is unknown', () => {
    expect(listed(change('copy', null, entry('r')))).toEqual([['copy', 'added', null]])
    expect(listed(change('gone', entry('r'), null))).toEqual([['gone', 'deleted', null]])
    expect(listed(change('a', undefined, null), change('b', null, entry('r')))).toHaveLength(2)
    expect(listed(change('a', entry('r', '120000'), null), change('b', null, entry('r')))).toHaveLength(2)
  })

  it('with the same content are paired by their names, and each once', () => {
    const gone = [change('x/a', entry('e'), null), change('x/b', entry('e'), null)]
    const came = [
      change('y/b', null, entry('e')),
      change('y/c', null, entry('e')),
      change('z', null, entry('e')),
    ]
    expect(listed(...gone, ...came)).toEqual([
      ['y/b', 'renamed', 'x/b'],
      ['y/c', 'renamed', 'x/a'],
      ['z', 'added', null],
    ])
  })
})
