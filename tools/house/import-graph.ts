import path from 'node:path'
import { importsOf } from './imports.ts'
import type { Source } from './source.ts'

/** Which nodes each node leads to: files by path, or folders. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Which files of ours each file imports, types included. Libraries and what is no source of ours are left out. */
export function importGraph(sources: readonly Source[]): Graph {
  const known = new Set(sources.map((source) => source.path))
  return new Map(
    sources.map((source) => {
      const targets = importsOf(source)
        .map(({ from }) => targetOf(source.path, from, known))
        .filter((target) => target !== null && target !== source.path)
      return [source.path, new Set(targets as string[])]
    }),
  )
}

function targetOf(importer: string, from: string, known: ReadonlySet<string>): string | null {
  const [, name, file = 'index'] = /^@farhand\/([^/]+)(?:\/(.+))?$/.exec(from) ?? []
  const target = name
    ? `packages/${name}/src/${file}.ts`
    : from.startsWith('.')
      ? path.posix.join(path.posix.dirname(importer), from)
      : null
  return target !== null && known.has(target) ? target : null
}

/** The same graph between folders; what a folder imports from itself is left out. */
export function folderGraph(files: Graph): Graph {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of files) {
    const folder = path.posix.dirname(file)
    const leadsTo = folders.get(folder) ?? new Set()
    folders.set(folder, leadsTo)
    for (const target of targets)
      if (path.posix.dirname(target) !== folder) leadsTo.add(path.posix.dirname(target))
  }
  return folders
}

/** Every group of nodes that can reach each other, largest first: a graph without cycles has none. */
export function cyclesOf(graph: Graph): string[][] {
  // Tarjan's strongly connected components, with a stack of its own: the longest chain of imports is deep.
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const isOnStack = new Set<string>()
  const groups: string[][] = []
  for (const start of graph.keys()) {
    if (order.has(start)) continue
    const work = [{ node: start, targets: [...(graph.get(start) ?? [])] }]
    while (work.length > 0) {
      const { node, targets } = work.at(-1)!
      if (!order.has(node)) {
        order.set(node, order.size)
        lowest.set(node, order.get(node)!)
        stack.push(node)
        isOnStack.add(node)
      }
      const target = targets.pop()
      if (target !== undefined) {
        if (!order.has(target)) work.push({ node: target, targets: [...(graph.get(target) ?? [])] })
        else if (isOnStack.has(target)) lowest.set(node, Math.min(lowest.get(node)!, order.get(target)!))
        continue
      }
      work.pop()
      const caller = work.at(-1)
      if (caller) lowest.set(caller.node, Math.min(lowest.get(caller.node)!, lowest.get(node)!))
      if (lowest.get(node) !== order.get(node)) continue
      const group = stack.splice(stack.indexOf(node))
      for (const one of group) isOnStack.delete(one)
      if (group.length > 1) groups.push(group.sort())
    }
  }
  return groups.sort((a, b) => b.length - a.length)
}

/** How many modules are loaded with this one, itself left out. */
export function reachOf(graph: Graph, from: string): number {
  const seen = new Set([from])
  for (const node of seen) for (const target of graph.get(node) ?? []) seen.add(target)
  return seen.size - 1
}
