import { expect, it } from 'vitest'
import { type FoundThere, RepositoryGuard, repositoriesAmong } from './repository-guard.ts'

const guard = (there: Record<string, FoundThere> = {}) => new RepositoryGuard((path) => there[path] ?? null)
const held = (paths: string[], there?: Record<string, FoundThere>) => {
  const one = guard(there)
  return paths.filter((path) => one.holds(path))
}

it.each([
  [['HEAD', 'objects/a', 'refs/b'], ['refs/b']],
  [['refs/b', 'objects/a', 'HEAD'], ['HEAD']],
  [['a/b/objects/x/y', 'a/b/HEAD', 'a/b/refs/heads/main'], ['a/b/refs/heads/main']],
  // Disks that do not tell cases apart, that ignore what cannot be seen, or that cut off dots.
  [['head', 'Objects/a', 'REFS/b'], ['REFS/b']],
  [['HE\u200cAD', 'objects/a', 'refs./b'], ['refs./b']],
  // The long s, which macOS takes for an s.
  [['HEAD', 'object\u017f/a', 'ref\u017f/b'], ['ref\u017f/b']],
  // `objects` and `refs` may be links or program files, for all that git asks.
  [['objects', 'refs', 'HEAD'], ['HEAD']],
  // A folder that borrows the rest from elsewhere.
  [['x/HEAD', 'x/commondir'], ['x/commondir']],
  [['x/commondir', 'x/HEAD'], ['x/HEAD']],
])('of %j, which would make a folder pass for a repository, %j is held back', (paths, expected) => {
  expect(held(paths)).toEqual(expected)
})

it.each([
  [['HEAD', 'objects/a']],
  [['objects/a', 'refs/b']],
  [['a/HEAD', 'b/objects/x', 'c/refs/x']],
  // A folder of that name is no HEAD.
  [['head/index.ts', 'objects/a', 'refs/b']],
  [['HEAD.md', 'objects.ts', 'refs.ts', 'config', 'hooks/pre-commit']],
  [['x/commondir', 'x/config']],
])('%j goes through', (paths) => {
  expect(held(paths)).toEqual([])
})

it('what is on the disk counts, and inside a folder that passes for a repository nothing is written', () => {
  const there = { HEAD: 'file', 'sub/HEAD': 'file', 'sub/objects': 'folder', 'sub/refs': 'folder' } as const
  expect(held(['sub/config', 'sub/hooks/post-checkout', 'sub/a/b/c', 'other', 'objects/a'], there)).toEqual([
    'sub/config',
    'sub/hooks/post-checkout',
    'sub/a/b/c',
  ])
  expect(held(['objects/a', 'refs/b'], there)).toEqual(['refs/b'])
})

it('what was about to be written counts until it is forgotten', () => {
  const one = guard()
  expect(one.holds('HEAD')).toBe(false)
  expect(one.holds('commondir')).toBe(true)
  one.forget()
  expect(one.holds('commondir')).toBe(false)
})

it('says which folders among the files of a commit git would take for repositories', () => {
  const paths = [
    'a.txt',
    'fixture/HEAD',
    'fixture/config',
    'fixture/objects/x',
    'fixture/refs/y',
    'objects/z',
  ]
  expect(repositoriesAmong(paths)).toEqual(['fixture'])
  expect(repositoriesAmong(['HEAD', 'objects/a', 'refs/b'])).toEqual(['.'])
  expect(repositoriesAmong(['a/b', 'refs/b'])).toEqual([])
})

it('folders of a commit whose names differ in case alone count as one, as they do on many disks', () => {
  expect(repositoriesAmong(['Lib/HEAD', 'lib/objects/x', 'LIB/refs/x'])).toEqual(['LIB'])
})
