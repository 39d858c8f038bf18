import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NameTree } from './name-tree.ts'

function grown(tree: NameTree, path: string): number {
  let at = 0
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    at = tree.grow(at, path, start, end)
    start = end + 1
  }
  return at
}

function isIn(tree: NameTree, path: string): boolean {
  let at = 0
  for (const name of path.split('/')) if (at !== -1) at = tree.child(at, name, 0, name.length)
  return at !== -1
}

const pathsIn = (tree: NameTree, of = 0): string[] =>
  [...tree.children(of)].flatMap((at) => [tree.path(at), ...pathsIn(tree, at)])

/** A path and the folders it is in. */
const partsOf = (path: string) => path.split('/').map((_, n, all) => all.slice(0, n + 1).join('/'))

describe('NameTree', () => {
  // More of them than the table has places: with any secret, some come to the same one.
  it('does not mistake a name for one that it begins with', () => {
    const tree = new NameTree()
    const names = Array.from({ length: 2000 }, (_, n) => 'a'.repeat(n + 1))
    const shortestFirst = new Set(names.map((name) => grown(tree, name)))
    expect(shortestFirst.size).toBe(names.length)
    expect([...tree.children(0)].map((at) => tree.path(at))).toEqual(names)
  })

  it('has the names it was given and no others, like a set of paths would', () => {
    const name = fc.constantFrom('a', 'b', 'a name as long as some are', 'ü', '\ud800', ...'cdefghijklmnop')
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
    const steps = fc.array(fc.tuple(path, fc.boolean()), { maxLength: 300, size: 'max' })
    fc.assert(
      fc.property(steps, (steps) => {
        const tree = new NameTree()
        const model = new Set<string>()
        for (const [path, isAdded] of steps) {
          if (!isAdded) continue
          expect(tree.path(grown(tree, path))).toBe(path)
          for (const part of partsOf(path)) model.add(part)
        }
        expect(pathsIn(tree).sort()).toEqual([...model].sort())
        for (const [path] of steps) expect(isIn(tree, path)).toBe(model.has(path))
      }),
    )
  })

  it('lists children in the order in which they came', () => {
    const tree = new NameTree()
    for (const name of ['c', 'a', 'b', 'a']) grown(tree, name)
    expect(pathsIn(tree)).toEqual(['c', 'a', 'b'])
    expect(tree.hasChildren(0)).toBe(true)
    expect(tree.hasChildren(grown(tree, 'a'))).toBe(false)
  })

  it('finds each of many names again', () => {
    const tree = new NameTree()
    const name = (n: number) => `folder-${n % 40}/file-${n}`
    const numbers = Array.from({ length: 2_000 }, (_, n) => grown(tree, name(n)))
    expect(Math.max(...numbers)).toBe(2_040)
    for (const [n, number] of numbers.entries()) expect(grown(tree, name(n))).toBe(number)
    expect(tree.parent(numbers[7]!)).toBe(grown(tree, 'folder-7'))
    expect(tree.parent(0)).toBe(-1)
  })
})
