import path from 'node:path'
import { createContext, Script } from 'node:vm'
import { z } from 'zod'
import { textContent } from '../../text-content.ts'
import { pathInside } from './path-inside.ts'
import { readText } from './read-text.ts'
import { type Outcome, type Place, tool } from './tool.ts'
import { walk } from './walk.ts'

const mostLines = 2_000
const mostChars = 60_000
const mostEntries = 500
const mostMatches = 200

/** Tools that only read: they are allowed in every mode. */
export const lookTools = [
  tool({
    name: 'read',
    description: 'Reads a text file of the workspace.',
    input: z.object({
      path: z.string().describe('relative to the workspace'),
      from: z.number().int().min(1).optional().describe('first line, 1 if left out'),
      lines: z.number().int().min(1).optional().describe(`how many lines, ${mostLines} at most`),
    }),
    kind: 'read',
    need: 'look',
    title: (input) => `Read ${input.path}`,
    paths: (input) => [input.path],
    prepare: async (input, place) => onlyRun(() => read(input, place)),
  }),
  tool({
    name: 'list',
    description: 'Lists a folder of the workspace without what ignore files leave out.',
    input: z.object({
      path: z.string().default('.').describe('relative to the workspace'),
      depth: z.number().int().min(1).max(20).default(2).describe('how many levels down'),
    }),
    kind: 'search',
    need: 'look',
    title: (input) => `List ${input.path}`,
    paths: (input) => [input.path],
    prepare: async (input, place) => onlyRun(() => list(input, place)),
  }),
  tool({
    name: 'search',
    description: 'Finds lines by a regular expression in the files of the workspace that are not ignored.',
    input: z.object({
      pattern: z.string().min(1).describe('a JavaScript regular expression, matched line by line'),
      path: z.string().default('.').describe('a folder or a file, relative to the workspace'),
      ending: z.string().optional().describe('only files whose names end so, like ".ts"'),
      ignoreCase: z.boolean().default(false),
    }),
    kind: 'search',
    need: 'look',
    title: (input) => `Search for ${input.pattern}`,
    paths: (input) => [input.path],
    prepare: async (input, place) => onlyRun(() => search(input, place)),
  }),
]

const onlyRun = (run: () => Promise<Outcome>) => ({ content: [], run })

async function read(
  input: { path: string; from?: number | undefined; lines?: number | undefined },
  place: Place,
) {
  const text = await readText(await pathInside(place.cwd, input.path), input.path)
  if (text === null) throw new Error(`There is no file ${input.path}`)
  const all = text.split('\n')
  const from = (input.from ?? 1) - 1
  const part = all.slice(from, from + Math.min(input.lines ?? mostLines, mostLines))
  const shown = part.join('\n').slice(0, mostChars)
  const isWhole = from === 0 && part.length === all.length && shown.length === text.length
  const where = `(lines ${from + 1} to ${from + shown.split('\n').length} of ${all.length})`
  return { text: isWhole ? text || '(the file is empty)' : `${shown}\n${where}` }
}

async function list({ path: name, depth }: { path: string; depth: number }, place: Place): Promise<Outcome> {
  const start = await relative(place.cwd, name)
  const lines: string[] = []
  for await (const found of walk(place.cwd, start, { depth })) {
    place.signal.throwIfAborted()
    if (lines.push(found.isFolder ? `${found.path}/` : found.path) >= mostEntries) break
  }
  if (lines.length === 0) return { text: `${name} is empty, or there is no such folder` }
  const more = lines.length >= mostEntries ? `\n(only the first ${mostEntries})` : ''
  return { text: lines.join('\n') + more }
}

async function search(
  input: { pattern: string; path: string; ending?: string | undefined; ignoreCase: boolean },
  place: Place,
): Promise<Outcome> {
  const matchesIn = matcher(patternOf(input.pattern, input.ignoreCase))
  const lines: string[] = []
  for await (const file of filesIn(place.cwd, await relative(place.cwd, input.path))) {
    place.signal.throwIfAborted()
    if (input.ending && !file.endsWith(input.ending)) continue
    // A file that is not text has no lines to find.
    const text = await readText(path.join(place.cwd, file), file).catch(() => null)
    for (const match of text === null ? [] : matchesIn(text))
      lines.push(`${file}:${match.line}: ${match.text}`)
    if (lines.length >= mostMatches) break
  }
  if (lines.length === 0) return { text: 'Nothing matches.' }
  const shown = lines.slice(0, mostMatches).join('\n')
  const text = lines.length >= mostMatches ? `${shown}\n(and perhaps more: search for less)` : shown
  return { text, content: [textContent(text)] }
}

async function* filesIn(cwd: string, start: string): AsyncGenerator<string> {
  let isFolder = false
  for await (const found of walk(cwd, start, { depth: 50 })) {
    isFolder = true
    // A link leads to a file that is found anyway, or outside.
    if (!found.isFolder && !found.isLink) yield found.path
  }
  if (!isFolder && start !== '') yield start
}

const relative = async (cwd: string, name: string) =>
  path
    .relative(cwd, await pathInside(cwd, name))
    .split(path.sep)
    .join('/')

type Match = { line: number; text: string }

const longestLine = 2_000
const longestShown = 300

/** Compiles the pattern; throws an error that explains what is wrong. */
export function patternOf(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u')
  } catch {
    // Many escapes for other engines are only invalid under the strict `u` flag.
    return new RegExp(source, ignoreCase ? 'i' : '')
  }
}

/** Returns a function that finds the matching lines; it throws if the pattern takes longer than `mostMs` for one text. */
export function matcher(pattern: RegExp, mostMs = 2_000): (text: string) => Match[] {
  const room = createContext({ pattern, lines: [] as string[] })
  // With local names: each access to an outer one costs more than a match.
  const matching = new Script(
    '((pattern, lines) => lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])))(pattern, lines)',
  )
  return (text) => {
    const lines = text.split(/\r?\n/).map((line) => line.slice(0, longestLine))
    room.lines = lines
    // A pattern like (a+)+$ can run forever and would block everything else, even a cancel.
    const found = matching.runInContext(room, { timeout: mostMs }) as number[]
    return found.map((at) => ({ line: at + 1, text: (lines[at] ?? '').trim().slice(0, longestShown) }))
  }
}
