import path from 'node:path'
import { folderGraph, type Graph, importGraph } from './import-graph.ts'
import { isForTests, placeOf, type Source } from './source.ts'

type Box = {
  name: string
  holds: string[]
  rows: string[][]
  x: number
  y: number
  width: number
  height: number
}

const page = { width: 1180, margin: 20, gapX: 24, gapY: 44 }
const chip = { height: 22, gap: 6, perLetter: 6.6, padding: 14 }
const box = { padding: 14, name: 28, line: 15, lettersInLine: 54, width: 360 }

/**
 * The packages and their folders as a picture: a package stands above those that it imports, and in its box a folder stands above
 * the folders that it imports. `holds` says in a sentence what a package is for.
 */
export function drawingOf(sources: readonly Source[], holds: Readonly<Record<string, string>>): string {
  const ours = sources.filter((source) => placeOf(source) !== null && !isForTests(source))
  const files = importGraph(ours)
  const packages = packageGraph(files)
  const folders = folderGraph(files)
  const levels = levelsOf(packages)
  const boxes = placed(
    levels.map((level) =>
      level.map((name) => boxOf(name, holds[name] ?? '', levelsOf(within(folders, name)))),
    ),
  )
  const height = Math.max(...boxes.map((one) => one.y + one.height)) + page.margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${page.width}" height="${height}" viewBox="0 0 ${page.width} ${height}" role="img" aria-label="The packages of Farhand, their folders, and what imports what">`,
    style,
    `<rect class="page" width="${page.width}" height="${height}"/>`,
    ...arrowsOf(reduced(packages), boxes),
    ...boxes.flatMap(drawn),
    '</svg>',
    '',
  ].join('\n')
}

const style = `<style>
  .page { fill: #ffffff } .box { fill: #f6f8fa; stroke: #8c959f } .chip { fill: #ddf4ff; stroke: none }
  .name { font: 600 15px system-ui, sans-serif; fill: #1f2328 } .holds { font: 12px system-ui, sans-serif; fill: #59636e }
  .folder { font: 11px ui-monospace, monospace; fill: #0550ae } .arrow { fill: none; stroke: #8c959f; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .box { fill: #151b23; stroke: #656c76 } .chip { fill: #132339 }
    .name { fill: #f0f6fc } .holds { fill: #9198a1 } .folder { fill: #79c0ff } .arrow { stroke: #656c76 }
  }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8c959f"/></marker></defs>`

const packageOf = (file: string) => file.split('/')[1]!

function packageGraph(files: Graph): Graph {
  const packages = new Map<string, Set<string>>()
  for (const [file, targets] of files) {
    const from = packageOf(file)
    const leadsTo = packages.get(from) ?? new Set()
    packages.set(from, leadsTo)
    for (const target of targets) if (packageOf(target) !== from) leadsTo.add(packageOf(target))
  }
  return packages
}

/** The folders of a package by their names below `src`, and what they import of each other. */
function within(folders: Graph, name: string): Graph {
  const root = `packages/${name}/src`
  const isOf = (folder: string) => folder === root || folder.startsWith(`${root}/`)
  const shown = (folder: string) => path.posix.relative(root, folder) || 'src'
  const own = [...folders].filter(([folder]) => isOf(folder))
  return new Map(own.map(([folder, to]) => [shown(folder), new Set([...to].filter(isOf).map(shown))]))
}

/** The nodes level by level: each above all that it leads to. A circle, where there is one, is cut where it was entered. */
function levelsOf(graph: Graph): string[][] {
  const depths = new Map<string, number>()
  const depthOf = (node: string, above: ReadonlySet<string>): number => {
    const known = depths.get(node)
    if (known !== undefined) return known
    const below = [...(graph.get(node) ?? [])].filter((one) => graph.has(one) && !above.has(one))
    const inside = new Set(above).add(node)
    const depth = Math.max(0, ...below.map((one) => depthOf(one, inside) + 1))
    depths.set(node, depth)
    return depth
  }
  const nodes = [...graph.keys()].sort()
  const depthsOfAll = nodes.map((node) => depthOf(node, new Set()))
  const levels = Array.from({ length: Math.max(-1, ...depthsOfAll) + 1 }, (): string[] => [])
  for (const [at, node] of nodes.entries()) levels[depthsOfAll[at]!]!.push(node)
  return levels.reverse()
}

/** The graph without the edges that another road makes unnecessary. */
function reduced(graph: Graph): Graph {
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((one) => one === to || reaches(one, to))
  const direct = (to: ReadonlySet<string>) =>
    [...to].filter((one) => ![...to].some((other) => other !== one && reaches(other, one)))
  return new Map([...graph].map(([from, to]) => [from, new Set(direct(to))]))
}

const chipWidth = (folder: string) => Math.round(folder.length * chip.perLetter + chip.padding)

function boxOf(name: string, holds: string, levels: readonly (readonly string[])[]): Box {
  const rows = levels.flatMap((level) => broken(level, box.width - 2 * box.padding))
  const lines = inLines(holds)
  const height = titleHeight(lines) + rows.length * (chip.height + chip.gap) + box.padding
  return { name, holds: lines, rows, x: 0, y: 0, width: box.width, height }
}

const titleHeight = (holds: readonly string[]) => box.name + holds.length * box.line + 6

/** A sentence in lines that fit into a box. */
function inLines(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= box.lettersInLine) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The folders of one level, in as many rows as they need. */
function broken(level: readonly string[], room: number): string[][] {
  const rows: string[][] = [[]]
  let used = 0
  for (const folder of level) {
    const width = chipWidth(folder) + chip.gap
    if (used > 0 && used + width > room) {
      rows.push([])
      used = 0
    }
    rows.at(-1)!.push(folder)
    used += width
  }
  return rows
}

/** Level below level, each in the middle of the page. */
function placed(levels: readonly (readonly Box[])[]): Box[] {
  let y = page.margin
  return levels.flatMap((level) => {
    const width = level.length * (box.width + page.gapX) - page.gapX
    const left = Math.round((page.width - width) / 2)
    const top = y
    y += Math.max(...level.map(({ height }) => height)) + page.gapY
    return level.map((one, at) => ({ ...one, x: left + at * (box.width + page.gapX), y: top }))
  })
}

function arrowsOf(graph: Graph, boxes: readonly Box[]): string[] {
  const found = new Map(boxes.map((one) => [one.name, one]))
  return [...graph].flatMap(([from, to]) =>
    [...to].map((one) => {
      const [above, below] = [found.get(from)!, found.get(one)!]
      const [x1, y1] = [above.x + above.width / 2, above.y + above.height]
      const [x2, y2] = [below.x + below.width / 2, below.y - 1]
      const middle = Math.round((y1 + y2) / 2)
      return `<path class="arrow" d="M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}" marker-end="url(#tip)"/>`
    }),
  )
}

function drawn({ name, holds, rows, x, y, width, height }: Box): string[] {
  return [
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    `<text class="name" x="${x + box.padding}" y="${y + 20}">${escaped(name)}</text>`,
    ...holds.map((line, at) => {
      const top = y + box.name + 9 + at * box.line
      return `<text class="holds" x="${x + box.padding}" y="${top}">${escaped(line)}</text>`
    }),
    ...rows.flatMap((row, at) => {
      let left = x + box.padding
      const top = y + titleHeight(holds) + at * (chip.height + chip.gap)
      return row.flatMap((folder) => {
        const here = left
        left += chipWidth(folder) + chip.gap
        return [
          `<rect class="chip" x="${here}" y="${top}" width="${chipWidth(folder)}" height="${chip.height}" rx="5"/>`,
          `<text class="folder" x="${here + chip.padding / 2}" y="${top + 15}">${escaped(folder)}</text>`,
        ]
      })
    }),
  ]
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
