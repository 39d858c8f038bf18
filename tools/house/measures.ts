import path from 'node:path'
import { cyclesOf, folderGraph, type Graph, importGraph } from './import-graph.ts'
import { importsOf } from './imports.ts'
import { isForTests, placeOf, type Source } from './source.ts'

/** What is counted of a package, or of all packages together: sources only, unless it says tests. */
export type Measures = {
  files: number
  lines: number
  testLines: number
  /** Lines of a file: of the one in the middle, of the largest of 95 in 100, and of the largest. */
  medianLines: number
  p95Lines: number
  largest: Counted
  folders: number
  /** Folders in which there are more source files than `mostInFolder`. */
  crowdedFolders: Counted[]
  /** Groups of folders, and of files, that import each other in a circle. */
  folderCycles: string[][]
  fileCycles: string[][]
  /** Modules with more imports than `mostImports`, types included. */
  wideModules: Counted[]
  /** Files under `smallLines` lines that one other file imports, and no other. */
  smallWithOneCaller: number
  /** Words that name no actor, in code, comments and texts. */
  vagueWords: number
  /** Texts that name a method of ours by hand, and messages put together by hand. */
  methodsByHand: number
  messagesByHand: number
}

type Counted = { path: string; count: number }

export const mostInFolder = 25
export const mostImports = 25
const smallLines = 40

const vague = /\b(?:nobody|somebody|whoever|anybody|everybody|what it is)\b/gi

/** What the house is like, by package and as a whole; tests, and packages that only tests use, count as tests. */
export function measuresOf(sources: readonly Source[]): Record<string, Measures> {
  const inPackages = sources.filter((source) => placeOf(source) !== null)
  const names = [...new Set(inPackages.map((source) => placeOf(source)!.package))].sort()
  const graph = importGraph(inPackages)
  const ofPackage = (name: string) => inPackages.filter((source) => placeOf(source)!.package === name)
  const each = names.map((name) => [name, measured(ofPackage(name), graph)] as const)
  return { ...Object.fromEntries(each), all: measured(inPackages, graph) }
}

function measured(all: readonly Source[], whole: Graph): Measures {
  const sources = all.filter((source) => !isForTests(source))
  const lines = sources.map(linesOf).sort((a, b) => a - b)
  const within = onlyBetween(whole, new Set(sources.map((source) => source.path)))
  const callers = callersIn(whole, new Set(all.filter(isForTests).map((source) => source.path)))
  return {
    files: sources.length,
    lines: sum(lines),
    testLines: sum(all.filter(isForTests).map(linesOf)),
    medianLines: lines[Math.floor(lines.length / 2)] ?? 0,
    p95Lines: lines[Math.floor(lines.length * 0.95)] ?? 0,
    largest: most(sources.map((source) => ({ path: source.path, count: linesOf(source) }))),
    folders: folderSizes(sources).length,
    crowdedFolders: folderSizes(sources).filter(({ count }) => count > mostInFolder),
    folderCycles: cyclesOf(withinPackages(folderGraph(within))),
    fileCycles: cyclesOf(within),
    wideModules: sources
      .map((source) => ({ path: source.path, count: importsOf(source).length }))
      .filter(({ count }) => count > mostImports)
      .sort(byCount),
    smallWithOneCaller: sources.filter(
      (source) => linesOf(source) < smallLines && callers.get(source.path) === 1,
    ).length,
    vagueWords: sum(sources.map(({ text }) => countOf(text, vague))),
    methodsByHand: sum(sources.map(({ text }) => countOf(text, /['"`]_posthog\//g))),
    messagesByHand: sum(sources.map(({ text }) => countOf(text, /jsonrpc:\s*['"]2\.0['"]/g))),
  }
}

/** What is there is read from the first line to the last. */
const linesOf = ({ text }: Source) => text.split('\n').length - 1
const countOf = (text: string, what: RegExp) => text.match(what)?.length ?? 0
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
const byCount = (a: Counted, b: Counted) => b.count - a.count
const most = (counted: Counted[]) => counted.sort(byCount)[0] ?? { path: '', count: 0 }

function folderSizes(sources: readonly Source[]): Counted[] {
  const sizes = new Map<string, number>()
  for (const source of sources) {
    const folder = path.posix.dirname(source.path)
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
  }
  return [...sizes].map(([folder, count]) => ({ path: folder, count })).sort(byCount)
}

const onlyBetween = (graph: Graph, files: ReadonlySet<string>): Graph =>
  new Map(
    [...graph]
      .filter(([file]) => files.has(file))
      .map(([file, to]) => [file, new Set([...to].filter((one) => files.has(one)))]),
  )

/** Packages cannot import each other in a circle; a folder is in one with folders of its own package. */
function withinPackages(folders: Graph): Graph {
  const packageOf = (folder: string) => folder.split('/')[1]
  return new Map(
    [...folders].map(([folder, to]) => [
      folder,
      new Set([...to].filter((one) => packageOf(one) === packageOf(folder))),
    ]),
  )
}

/** By how many files each is imported, those in `left` not counted. */
function callersIn(graph: Graph, left: ReadonlySet<string>): ReadonlyMap<string, number> {
  const callers = new Map<string, number>()
  for (const [file, targets] of graph) {
    if (left.has(file)) continue
    for (const target of targets) callers.set(target, (callers.get(target) ?? 0) + 1)
  }
  return callers
}
