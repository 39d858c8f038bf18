import type { Graph } from './import-graph.ts'

/**
 * A walk: the files of ARCHITECTURE.md through which something passes, in order. It is in stretches: between two of
 * them it crosses from one process or thread to another.
 */
export type Walk = { name: string; stretches: string[][] }

// A link whose text is code is none of a walk: other lists have such.
const item = /^(\d+)\. \[([^\]`]+)\]\((packages\/[^)]+)\)/

/** The walks of a page: every section that lists files as `1. [packages/x.ts](packages/x.ts) ...`; a line with `>` is a crossing. */
export function walksOf(page: string): Walk[] {
  return sectionsOf(page).flatMap(({ name, lines }) => {
    const stretches: string[][] = [[]]
    for (const line of lines) {
      const [, , , file] = item.exec(line) ?? []
      if (file !== undefined) stretches.at(-1)!.push(file)
      else if (line.startsWith('>')) stretches.push([])
    }
    const walked = stretches.filter((files) => files.length > 0)
    return walked.length > 0 ? [{ name, stretches: walked }] : []
  })
}

/** What is wrong with how the lists are written: numbers that do not go on, and links whose text is another file. */
export function slipsIn(page: string): string[] {
  return sectionsOf(page).flatMap(({ name, lines }) => {
    const items = lines.map((line) => item.exec(line)).filter((found) => found !== null)
    return items.flatMap(([, number, text, file], at) => [
      ...(Number(number) === at + 1 ? [] : [`${name}: ${number}. should be ${at + 1}.`]),
      ...(text === file ? [] : [`${name}: ${text} leads to ${file}`]),
    ])
  })
}

/** The steps of a walk that no import connects, and the files that are not there. */
export function brokenHops({ name, stretches }: Walk, graph: Graph): string[] {
  const isLinked = (from: string, to: string) => graph.get(from)?.has(to) || graph.get(to)?.has(from)
  const missing = filesOf({ name, stretches }).filter((file) => !graph.has(file))
  const apart = stretches.flatMap((files) =>
    files.slice(1).flatMap((to, at) => (isLinked(files[at]!, to) ? [] : [`${files[at]} -> ${to}`])),
  )
  return [...missing.map((file) => `${name}: ${file} is not there`), ...apart.map((hop) => `${name}: ${hop}`)]
}

/** Each file of a walk once. */
export const filesOf = ({ stretches }: Walk): string[] => [...new Set(stretches.flat())]

/** How many files each walk of a page passes. */
export const walkSizes = (page: string): Record<string, number> =>
  Object.fromEntries(walksOf(page).map((walk) => [walk.name, filesOf(walk).length]))

function sectionsOf(page: string): { name: string; lines: string[] }[] {
  const sections: { name: string; lines: string[] }[] = []
  for (const line of page.split('\n')) {
    const [, name] = /^#+ (.+)$/.exec(line) ?? []
    if (name !== undefined) sections.push({ name, lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}
