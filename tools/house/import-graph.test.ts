import { describe, expect, it } from 'vitest'
import { cyclesOf, folderGraph, type Graph, importGraph, reachOf } from './import-graph.ts'

const graph = (edges: Record<string, readonly string[]>): Graph =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

describe('the graph of imports', () => {
  it('resolves relative paths and packages to files, and leaves out libraries and what does not exist', () => {
    const sources = [
      {
        path: 'packages/hub/src/log/a.ts',
        text: "import { b } from '../b.ts'\nimport { c } from '@farhand/kit/c'\nimport z from 'zod'\nimport './gone.ts'\n",
      },
      { path: 'packages/hub/src/b.ts', text: "import type { A } from './log/a.ts'\n" },
      { path: 'packages/kit/src/c.ts', text: '' },
    ]
    expect(importGraph(sources)).toEqual(
      graph({
        'packages/hub/src/log/a.ts': ['packages/hub/src/b.ts', 'packages/kit/src/c.ts'],
        'packages/hub/src/b.ts': ['packages/hub/src/log/a.ts'],
        'packages/kit/src/c.ts': [],
      }),
    )
  })

  it('finds each cycle once, with all that belongs to it, and none where there is none', () => {
    expect(cyclesOf(graph({ a: ['b', 'c'], b: ['c'], c: [] }))).toEqual([])
    expect(
      cyclesOf(graph({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['a'], g: ['g'] })),
    ).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  it('finds a cycle that is closed by a node which another path reached first', () => {
    expect(cyclesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: ['c'] }))).toEqual([['c', 'd']])
  })

  it('is drawn between folders without what stays inside one', () => {
    const files = graph({ 'x/a.ts': ['x/b.ts', 'y/c.ts'], 'x/b.ts': ['y/c.ts'], 'y/c.ts': ['x/b.ts'] })
    expect(folderGraph(files)).toEqual(graph({ x: ['y'], y: ['x'] }))
  })

  it('counts what is loaded with a module once, however often it is imported', () => {
    expect(reachOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: ['a'], e: ['a'] }), 'a')).toBe(3)
  })
})
