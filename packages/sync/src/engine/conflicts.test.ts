import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { at, file } from '../hub/run-under-test.ts'
import { conflictsIn } from './conflicts.ts'

const near: SeenAuthor = { kind: 'device', id: 'dev_near0000' } as never
const other: SeenAuthor = { kind: 'device', id: 'dev_other000' } as never
const far: SeenAuthor = { kind: 'runner', generation: 1 }

/** What each event of a log brings in conflicts, as `path: who's version of which event lost to whom`. */
function told(...log: [SeenAuthor, Record<string, unknown>][]): string[] {
  const tree = new WorkspaceTree()
  const name = (by: SeenAuthor | null) =>
    by === near ? 'near' : by === far ? 'far' : by ? 'other' : 'nobody'
  return log.flatMap(([by, params], index) => {
    const method = by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync'
    const event = { id: index + 1, by, notification: { jsonrpc: '2.0', method, params } } as SeenEvent
    const { kept } = tree.apply(event)
    const conflicts = conflictsIn(event, kept, {
      author: (path) => tree.version(path)?.by ?? null,
      log: (path) => tree.entry(path) ?? null,
    })
    return conflicts.map(
      ({ path, eventId, lost, won }) => `${path}: ${name(lost)}@${eventId} to ${name(won)}`,
    )
  })
}
const wrote = (
  by: SeenAuthor,
  path: string,
  text: string | null,
  was?: string | null,
): [SeenAuthor, object] => [
  by,
  {
    path: at(path),
    ...(text === null ? { action: 'deleted' } : { action: 'modified', ...file(text) }),
    ...(was === undefined ? {} : { was: was === null ? null : file(was) }),
  },
]
const tell = (...log: [SeenAuthor, object][]) => told(...(log as [SeenAuthor, Record<string, unknown>][]))

describe('a version lost in a conflict', () => {
  it('S2 is one whose successor was made without having seen it', () => {
    const log = [wrote(near, 'a', '0', null), wrote(far, 'a', 'far', '0')]
    expect(tell(...log, wrote(near, 'a', 'near', '0'))).toEqual(['a: far@2 to near'])
    expect(tell(...log, wrote(near, 'a', null, '0'))).toEqual(['a: far@2 to near'])
    expect(tell(...log, wrote(near, 'a', 'near', 'far'))).toEqual([])
  })

  it('S3 is also one that did not count when it arrived', () => {
    const log = [wrote(near, 'a', '0', null), wrote(near, 'a', 'near', '0')]
    expect(tell(...log, wrote(far, 'a', 'far', '0'))).toEqual(['a: far@3 to near'])
    expect(tell(...log, wrote(other, 'a', 'other', '0'))).toEqual(['a: other@3 to near'])
  })

  it('is none if no author says what it knew, if both did the same, or if there is nothing to put back', () => {
    expect(tell(wrote(far, 'a', 'far'), wrote(near, 'a', 'near'))).toEqual([])
    const log = [wrote(near, 'a', '0', null), wrote(far, 'a', 'same', '0')]
    expect(tell(...log, wrote(near, 'a', 'same', '0'))).toEqual([])
    expect(
      tell(wrote(near, 'a', '0', null), wrote(far, 'a', null, '0'), wrote(near, 'a', 'near', '0')),
    ).toEqual([])
  })

  it('may be in the way of another file', () => {
    expect(tell(wrote(far, 'a/b', 'far', null), wrote(near, 'a', 'near', null))).toEqual([
      'a/b: far@1 to near',
    ])
    const knew = { files: [wrote(near, 'a/b', null, 'far')[1], wrote(near, 'a', 'near', null)[1]] }
    expect(tell(wrote(far, 'a/b', 'far', null), [near, knew])).toEqual([])
  })
})
