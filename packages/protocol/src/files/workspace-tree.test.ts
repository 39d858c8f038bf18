import { describe, expect, it } from 'vitest'
import {
  hub,
  type Line,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  secondLaptop,
  secondRunner,
  web,
} from '../events/sample-log.ts'
import type { Author } from '../wire/event.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'
import { type Applied, WorkspaceTree } from './workspace-tree.ts'

type State = string | null

const entry = (name: State) => (name === null ? null : { mode: '100644' as const, hash: sampleHash(name) })
const letterOf = (found: { hash: string } | null | undefined) =>
  found ? String.fromCharCode(Number.parseInt(found.hash.slice(-2), 16)) : found

/** A write as a line of a story: 'x' or null is what the path becomes, `was` what the writer had agreed on. */
function write(by: Author, path: string, to: State, was?: State): Line {
  const params = {
    path,
    action: to === null ? 'deleted' : 'modified',
    ...(to !== null && { hash: sampleHash(to), mode: '100644' }),
    ...(was !== undefined && { was: entry(was) }),
  }
  return [by, by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync', params]
}

function tell(...lines: Line[]) {
  const tree = new WorkspaceTree()
  const applied: Applied[] = sampleLog(...lines).map((event) => tree.apply(event))
  return {
    tree,
    at: (path: string) => letterOf(tree.entry(WorkspacePath.parse(path))),
    kept: applied.flatMap(({ kept }) =>
      kept.map(({ path, entry, eventId, why }) => `${path} ${letterOf(entry)} #${eventId} ${why}`),
    ),
    changes: applied.map(({ changes }) => changes.map(({ path, entry }) => `${path} ${letterOf(entry)}`)),
  }
}

describe('what the log says of a path', () => {
  it('S3 is nothing until an event names it: the base commit still counts', () => {
    const { at } = tell([runner, '_posthog/git_commit', { sha: 'abcd', kind: 'base' }])
    expect(at('a')).toBeUndefined()
  })

  it('S3 the first author to write a path is believed, even if it names an entry as the one before', () => {
    for (const by of [runner, laptop, web]) {
      expect(tell(write(by, 'a', 'x', 'b')).at('a')).toBe('x')
      expect(tell(write(by, 'a', 'x', null)).at('a')).toBe('x')
      expect(tell(write(by, 'a', null, 'b')).at('a')).toBeNull()
    }
  })

  it('S3 an event counts if what its writer agreed on is the current entry', () => {
    expect(tell(write(runner, 'a', 'x', null), write(runner, 'a', 'y', 'x')).at('a')).toBe('y')
    expect(tell(write(laptop, 'a', 'x', null), write(runner, 'a', 'y', 'x')).at('a')).toBe('y')
    expect(tell(write(laptop, 'a', 'x', null), write(secondLaptop, 'a', 'y', 'x')).at('a')).toBe('y')
    expect(tell(write(runner, 'a', 'x', null), write(runner, 'a', null, 'x')).at('a')).toBeNull()
    expect(tell(write(runner, 'a', null, 'b'), write(runner, 'a', 'x', null)).at('a')).toBe('x')
  })

  it("S3 a runner's write that crossed a device's is overruled and kept", () => {
    const { at, kept } = tell(
      write(runner, 'a', 'x', null),
      write(laptop, 'a', 'y', 'x'),
      write(runner, 'a', 'z', 'x'),
    )
    expect(at('a')).toBe('y')
    expect(kept).toEqual(['a x #1 replaced', 'a z #3 overruled'])
  })

  it("S3 a device's write counts over what only runners and itself wrote since", () => {
    const crossed = [
      write(runner, 'a', 'x', null),
      write(runner, 'a', 'y', 'x'),
      write(secondRunner, 'a', 'z', 'y'),
    ]
    expect(tell(...crossed, write(laptop, 'a', 'm', 'x')).at('a')).toBe('m')
    expect(tell(...crossed, write(laptop, 'a', 'm', 'base')).at('a')).toBe('m')
    const own = [write(laptop, 'a', 'm', null), write(runner, 'a', 'y', 'm'), write(laptop, 'a', 'n', 'm')]
    expect(tell(...own).at('a')).toBe('n')
  })

  it('S3 of two devices that write one path, the one the log has first is kept', () => {
    const { at, kept } = tell(
      write(runner, 'a', 'x', null),
      write(laptop, 'a', 'y', 'x'),
      write(secondLaptop, 'a', 'z', 'x'),
    )
    expect(at('a')).toBe('y')
    expect(kept).toContain('a z #3 overruled')
    expect(tell(write(laptop, 'a', 'y', 'b'), write(secondLaptop, 'a', 'z', 'b')).at('a')).toBe('y')
    expect(tell(write(laptop, 'a', 'y', 'b'), write(web, 'a', 'z', 'b')).at('a')).toBe('y')
  })

  it('S3 the write of a device that has seen its rival’s counts again, and the rival’s no longer', () => {
    const seen = [
      write(laptop, 'a', 'x', null),
      write(runner, 'a', 'y', 'x'),
      write(secondLaptop, 'a', 'z', 'x'),
    ]
    expect(tell(...seen).at('a')).toBe('z')
    expect(tell(...seen, write(laptop, 'a', 'm', 'y')).at('a')).toBe('z')
    expect(tell(...seen, write(laptop, 'a', 'm', 'z')).at('a')).toBe('m')
    expect(tell(...seen, write(runner, 'a', 'r', 'z'), write(laptop, 'a', 'm', 'z')).at('a')).toBe('m')
  })

  it('S3 a device that took over from its rival has nothing to go back to before the rival', () => {
    const takenOver = [
      write(laptop, 'a', 'x', null),
      write(secondLaptop, 'a', 'y', 'x'),
      write(laptop, 'a', 'z', 'y'),
    ]
    expect(tell(...takenOver, write(laptop, 'a', 'm', 'x')).at('a')).toBe('z')
    expect(tell(...takenOver, write(laptop, 'a', 'm', 'y')).at('a')).toBe('m')
    expect(tell(...takenOver, write(secondLaptop, 'a', 'm', 'y')).at('a')).toBe('z')
    const andOn = [write(laptop, 'a', 'w', 'z'), write(runner, 'a', 'r', 'w'), write(runner, 'a', 's', 'r')]
    for (const was of ['y', 'z', 'w', 'r', 's'])
      expect(tell(...takenOver, ...andOn, write(laptop, 'a', 'm', was)).at('a'), was).toBe('m')
    for (const was of ['w', 'r', 's'])
      expect(tell(...takenOver, ...andOn, write(secondLaptop, 'a', 'm', was)).at('a'), was).toBe('m')
  })

  it('S3 an entry that came back counts from when it came back', () => {
    const { at } = tell(
      write(laptop, 'a', 'x', null),
      write(secondLaptop, 'a', 'y', 'x'),
      write(runner, 'a', 'x', 'y'),
      write(runner, 'a', 'z', 'x'),
      write(laptop, 'a', 'm', 'x'),
    )
    expect(at('a')).toBe('m')
  })

  it('W61 a writer that does not say what it had seen counts in the order of arrival, from a runner or a device', () => {
    expect(tell(write(runner, 'a', 'x'), write(runner, 'a', 'y')).at('a')).toBe('y')
    expect(tell(write(laptop, 'a', 'x'), write(laptop, 'a', 'y')).at('a')).toBe('y')
    expect(tell(write(runner, 'a', 'x'), write(laptop, 'a', 'y'), write(runner, 'a', 'z')).at('a')).toBe('z')
    expect(tell(write(laptop, 'a', 'x'), write(secondLaptop, 'a', 'y')).at('a')).toBe('y')
    expect(tell(write(laptop, 'a', 'x'), write(runner, 'a', null)).at('a')).toBeNull()
    const folder = tell(write(laptop, 'a', 'x'), write(runner, 'a/b', 'y'))
    expect([folder.at('a'), folder.at('a/b')]).toEqual([null, 'y'])
  })

  it('W61 what it overwrites can be put back, and writers who say what they agreed on know that it came', () => {
    const { tree, kept } = tell(write(laptop, 'a', 'x', null), write(runner, 'a', 'y'))
    expect(kept).toEqual(['a x #1 replaced'])
    const path = WorkspacePath.parse('a')
    const next = { path, entry: entry('z'), was: entry('x') }
    expect(tree.wouldCount(next, laptop)).toBe(true)
    expect(tree.wouldCount(next, secondLaptop)).toBe(true)
    expect(tree.wouldCount(next, runner)).toBe(false)
  })

  it('mode and content are both part of an entry', () => {
    const executable: Line = [
      runner,
      '_posthog/file_change',
      { path: 'a', action: 'modified', hash: sampleHash('x'), mode: '100755', was: entry('x') },
    ]
    const { tree, changes, at } = tell(
      write(runner, 'a', 'x', null),
      executable,
      write(runner, 'a', 'z', 'x'),
    )
    expect(tree.entry(WorkspacePath.parse('a'))).toEqual({ mode: '100755', hash: sampleHash('x') })
    expect(changes[1]).toEqual(['a x'])
    expect(at('a')).toBe('x')
  })
})

describe('files and folders in each other’s place', () => {
  it('S3 a file takes away files above it and everything below it', () => {
    const folder = tell(
      write(runner, 'a/b', 'x', null),
      write(runner, 'a/c/d', 'y', null),
      write(runner, 'a', 'z', null),
    )
    expect([folder.at('a'), folder.at('a/b'), folder.at('a/c/d')]).toEqual(['z', null, null])
    expect(folder.changes[2]?.sort()).toEqual(['a z', 'a/b null', 'a/c/d null'])
    expect(folder.kept).toEqual(['a/b x #1 replaced', 'a/c/d y #2 replaced'])
    const file = tell(write(runner, 'a', 'x', null), write(runner, 'a/b/c', 'y', null))
    expect([file.at('a'), file.at('a/b'), file.at('a/b/c')]).toEqual([null, null, 'y'])
  })

  it('S3 what the base had in the way of a file is absent too, and stays so when the file goes', () => {
    const { at } = tell(
      write(runner, 'a', 'x', null),
      write(runner, 'a', null, 'x'),
      write(runner, 'b/c', 'y', null),
    )
    expect(at('a/of/base')).toBeNull()
    expect(at('b')).toBeNull()
    expect(at('b/of/base')).toBeUndefined()
  })

  it("S3 a runner's write to a base file in a folder that a device replaced does not bring it back", () => {
    const replaced = [write(laptop, 'a', 'x', null), write(laptop, 'a', null, 'x')]
    expect(tell(...replaced, write(runner, 'a/of/base', 'y', 'b')).at('a/of/base')).toBeNull()
    expect(tell(...replaced, write(runner, 'a/of/base', 'y', null)).at('a/of/base')).toBe('y')
    expect(tell(...replaced, write(secondLaptop, 'a/of/base', 'y', 'b')).at('a/of/base')).toBeNull()
  })

  it('S3 to make room for its own file a runner takes away nothing that a device wrote last', () => {
    const above = tell(write(laptop, 'a', 'x', null), write(runner, 'a/b', 'y', null))
    expect([above.at('a'), above.at('a/b')]).toEqual(['x', null])
    expect(above.kept).toEqual(['a/b y #2 overruled'])
    const below = tell(write(laptop, 'a/b/c', 'x', null), write(runner, 'a', 'y', null))
    expect([below.at('a'), below.at('a/b/c')]).toEqual([null, 'x'])
    const taken = tell(
      write(laptop, 'a', 'x', null),
      write(runner, 'a', 'y', 'x'),
      write(runner, 'a/b', 'z', null),
    )
    expect([taken.at('a'), taken.at('a/b')]).toEqual([null, 'z'])
  })

  it("a device's event does remove what a runner put there", () => {
    const { at } = tell(write(runner, 'a/b', 'x', null), write(laptop, 'a', 'y', null))
    expect([at('a'), at('a/b')]).toEqual(['y', null])
  })

  it('S3 to make room for its own file a device takes away nothing that another device wrote last', () => {
    const above = tell(write(laptop, 'a', 'x', null), write(secondLaptop, 'a/b', 'y', null))
    expect([above.at('a'), above.at('a/b')]).toEqual(['x', null])
    expect(above.kept).toEqual(['a/b y #2 overruled'])
    const below = tell(write(laptop, 'a/b/c', 'x', null), write(secondLaptop, 'a', 'y', null))
    expect([below.at('a'), below.at('a/b/c')]).toEqual([null, 'x'])
    const ofWeb = tell(write(web, 'a/b', 'x', null), write(laptop, 'a', 'y', null))
    expect([ofWeb.at('a'), ofWeb.at('a/b')]).toEqual([null, 'x'])
    const own = tell(write(laptop, 'a/b', 'x', null), write(laptop, 'a', 'y', null))
    expect([own.at('a'), own.at('a/b')]).toEqual(['y', null])
  })

  it("S3 a device that deletes another device's file first may put a folder in its place", () => {
    const asked = write(secondLaptop, 'a/b', 'y', null)
    const { tree, at } = tell(write(laptop, 'a', 'x', null), write(secondLaptop, 'a', null, 'x'), asked)
    expect([at('a'), at('a/b')]).toEqual([null, 'y'])
    const path = WorkspacePath.parse('a')
    const put = { path, entry: entry('z'), was: null }
    expect(tree.wouldCount(put, laptop)).toBe(false)
    expect(tree.wouldCount(put, laptop, (other) => other === 'a/b')).toBe(true)
    expect(tree.wouldCount(put, laptop, (other) => other === 'a')).toBe(false)
  })

  it('a deletion concerns its own path only: the new file in a deleted folder lives', () => {
    const { at } = tell(
      write(runner, 'a', 'x', null),
      write(runner, 'a/b', 'y', null),
      write(laptop, 'a', null, 'x'),
    )
    expect([at('a'), at('a/b')]).toEqual([null, 'y'])
    const later = tell(
      write(runner, 'a/b', 'x', null),
      write(laptop, 'a', 'y', null),
      write(laptop, 'a/b', null, 'x'),
    )
    expect([later.at('a'), later.at('a/b')]).toEqual(['y', null])
  })
})

describe('the tree', () => {
  it('S4 says which version was deleted, replaced or offered', () => {
    const offered: Line = [laptop, '_posthog/file_kept', { path: 'a', hash: sampleHash('k'), why: 'offered' }]
    const { kept, at } = tell(write(runner, 'a', 'x', null), write(laptop, 'a', null, 'x'), offered)
    expect(kept).toEqual(['a x #1 deleted', 'a k #3 offered'])
    expect(at('a')).toBeNull()
  })

  it('the same entry again is no change and leaves no version behind', () => {
    const { kept, changes, tree } = tell(
      write(runner, 'a', 'x', null),
      write(laptop, 'a', 'x', 'b'),
      write(secondLaptop, 'a', 'x', 'b'),
    )
    expect([kept, changes[1], changes[2]]).toEqual([[], [], []])
    expect(tree.version(WorkspacePath.parse('a'))).toMatchObject({ by: laptop, eventId: 2 })
  })

  it('takes several files of one event in their order', () => {
    const files = [write(laptop, 'a/b', null, 'x')[2], write(laptop, 'a', 'y', null)[2]]
    const { at, kept } = tell(write(runner, 'a/b', 'x', null), [laptop, '_posthog/file_sync', { files }])
    expect([at('a'), at('a/b')]).toEqual(['y', null])
    expect(kept).toEqual(['a/b x #1 deleted'])
    const ofRunner = files.map((file) => ({ ...file, path: `r/${file?.path}` }))
    const several: Line = [runner, '_posthog/file_change', { files: ofRunner }]
    expect(tell(write(runner, 'r/a/b', 'x', null), several).changes[1]).toEqual(['r/a/b null', 'r/a y'])
  })

  it('S3 holds any number of files, each with its entry, author and event', () => {
    const modes = ['100644', '100755', '120000'] as const
    const authors = [runner, laptop, secondLaptop]
    const files = Array.from({ length: 500 }, (_, n) => ({
      path: WorkspacePath.parse(`in/${n % 7}/${n}`),
      entry: { mode: modes[n % 3]!, hash: sampleHash(String.fromCharCode(48 + (n % 70))) },
      by: authors[n % 5 === 0 ? 0 : (n % 2) + 1]!,
      eventId: n + 1,
    }))
    const { tree } = tell(
      ...files.map(({ path, entry, by }): Line => {
        const method = by === runner ? '_posthog/file_change' : '_posthog/file_sync'
        return [by, method, { path, action: 'created', ...entry, was: null }]
      }),
    )
    const byId = (a: { eventId: number }, b: { eventId: number }) => a.eventId - b.eventId
    const readAgain = WorkspaceTree.from(JSON.parse(JSON.stringify([...tree.rows()])))
    for (const one of [tree, readAgain]) {
      expect(one.size).toBe(500)
      expect([...one.files()].sort(byId)).toEqual(files)
      for (const { path, ...version } of files) expect(one.version(path), path).toEqual(version)
      expect(
        one.wouldCount({ path: WorkspacePath.parse('in/3'), entry: entry('x'), was: null }, runner),
      ).toBe(false)
    }
  })

  it('does not mistake a folder for another whose name begins or ends with its own', () => {
    const names = ['ab', 'b', 'a', 'abc', 'bab']
    const { at } = tell(...names.map((name) => write(runner, `${name}/in/file`, name.slice(-1), null)))
    for (const name of names) expect(at(`${name}/in/file`), name).toBe(name.slice(-1))
    expect(names.map((name) => at(`${name}/file`))).toEqual(names.map(() => undefined))
    const flat = tell(write(runner, 'ab/file', 'x', null), write(runner, 'b/file', 'y', null))
    expect([flat.at('ab/file'), flat.at('b/file'), flat.changes[1]]).toEqual(['x', 'y', ['b/file y']])
  })

  it('S15 commits and everything else leave it as it is', () => {
    const { changes, at } = tell(
      write(runner, 'a', 'x', null),
      [runner, '_posthog/git_commit', { sha: 'abcd', kind: 'checkpoint', upTo: 1 }],
      [hub, '_posthog/status', { status: 'active' }],
      [web, '_mine/file_change', { path: 'a', action: 'deleted' }],
    )
    expect(changes.slice(1)).toEqual([[], [], []])
    expect(at('a')).toBe('x')
  })

  it('W27 ignores a malformed kept version', () => {
    const params = { path: 'a', hash: sampleHash('k'), why: 'offered' }
    const [event] = sampleLog([laptop, '_posthog/file_kept', params])
    const notification = { ...event!.notification, params: { ...params, path: '../a' } }
    expect(new WorkspaceTree().apply({ ...event!, notification })).toEqual({ changes: [], kept: [] })
  })

  it('lists the files that the log put there, and by whom', () => {
    const { tree } = tell(
      write(runner, 'a/b', 'x', null),
      write(laptop, 'c', 'y', null),
      write(runner, 'd', 'z', null),
      write(runner, 'd', null, 'z'),
    )
    expect([...tree.files()].map(({ path, by, eventId }) => [path, by, eventId])).toEqual([
      ['a/b', runner, 1],
      ['c', laptop, 2],
    ])
    expect([...tree.paths()]).toEqual(['a/b', 'c'])
  })

  it('is written down in a row for each path that an event was about, and says nothing twice', () => {
    const { tree } = tell(
      write(runner, 'a/b', 'x', null),
      write(runner, 'c', 'x', null),
      write(runner, 'c', 'y', 'x'),
      write(runner, 'd', null, 'x'),
      write(laptop, 'e', 'x', null),
      write(runner, 'e', 'y', 'x'),
      write(laptop, 'f', 'x', null),
      write(runner, 'f', 'y', 'x'),
      write({ ...laptop }, 'f', 'z', 'y'),
    )
    const rows = new Map([...tree.rows()].map(({ path, ...row }) => [path as string, row]))
    expect([...rows.keys()].sort()).toEqual(['a/b', 'c', 'd', 'e', 'f'])
    expect(rows.get('a/b')).toStrictEqual({ entry: entry('x'), by: runner, eventId: 1 })
    expect(rows.get('c')).toStrictEqual({
      entry: entry('y'),
      by: runner,
      eventId: 3,
      first: { by: runner, eventId: 2 },
    })
    expect(rows.get('d')).toStrictEqual({ entry: null, by: runner, eventId: 4 })
    expect(rows.get('e')).toMatchObject({ past: { device: laptop, rivals: false, sinceDevice: 0 } })
    expect(rows.get('f')).toStrictEqual({
      entry: entry('z'),
      by: laptop,
      eventId: 9,
      first: { by: laptop, eventId: 7 },
    })
    expect(rows.get('f')?.by).toBe(rows.get('f')?.first?.by)
    expect(tree.size).toBe(4)
    expect(new WorkspaceTree().size).toBe(0)
  })
})
