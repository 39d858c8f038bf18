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

const pathsIn = (tree: NameTree, of = 0): string[] =>
  [...tree.children(of)].flatMap((at) => [tree.path(at), ...pathsIn(tree, at)])

/** A path and the folders it is in. */
const partsOf = (path: string) => path.split('/').map((_, n, all) => all.slice(0, n + 1).join('/'))

describe('NameTree', () => {
  it('has the names it was given and not those that were removed, like a set of paths would', () => {
    const name = fc.constantFrom('a', 'b', 'a name as long as some are', 'ü', '\ud800', ...'cdefghijklmnop')
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
    const steps = fc.array(fc.tuple(path, fc.boolean()), { maxLength: 300 })
    fc.assert(
      fc.property(steps, (steps) => {
        const tree = new NameTree()
        const model = new Set<string>()
        for (const [path, isAdded] of steps) {
          const isBusy = [...model].some((other) => other.startsWith(`${path}/`))
          if (isAdded) {
            expect(tree.path(grown(tree, path))).toBe(path)
            for (const part of partsOf(path)) model.add(part)
          } else if (model.has(path) && !isBusy) {
            tree.remove(tree.find(path))
            model.delete(path)
          }
        }
        expect(pathsIn(tree).sort()).toEqual([...model].sort())
        for (const path of model) expect(tree.path(tree.find(path))).toBe(path)
        for (const [path] of steps) expect(tree.find(path) !== -1).toBe(model.has(path))
      }),
    )
  })

  it('tells children in the order in which they came', () => {
    const tree = new NameTree()
    for (const name of ['c', 'a', 'b', 'd']) grown(tree, name)
    tree.remove(tree.find('a'))
    tree.remove(tree.find('c'))
    grown(tree, 'a')
    expect(pathsIn(tree)).toEqual(['b', 'd', 'a'])
    expect(tree.hasChildren(0)).toBe(true)
    expect(tree.hasChildren(tree.find('a'))).toBe(false)
  })

  it('finds each of many names, also after half of them made room for others', () => {
    const tree = new NameTree()
    const name = (n: number) => `folder-${n % 40}/file-${n}`
    for (let n = 0; n < 2_000; n++) grown(tree, name(n))
    const { end } = tree
    for (let n = 0; n < 2_000; n += 2) tree.remove(tree.find(name(n)))
    for (let n = 2_000; n < 3_000; n++) grown(tree, name(n))
    expect(tree.end).toBe(end)
    grown(tree, 'one more')
    expect(tree.end).toBe(end + 1)
    for (let n = 0; n < 3_000; n++) expect(tree.find(name(n)) !== -1).toBe(n % 2 === 1 || n >= 2_000)
    expect(tree.parent(tree.find(name(7)))).toBe(tree.find('folder-7'))
    expect(tree.name(tree.find(name(7)))).toBe('file-7')
  })
})
