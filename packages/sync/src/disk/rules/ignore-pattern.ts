import { fitsSegment, type GlobSegment, globSegment } from './glob-segment.ts'

/**
 * What a rule is about: a name, names with this end, names that fit, one path, or paths that fit in one of these ways. Every
 * file asks every rule, so that all of them have the same fields.
 */
type Kind = 'name' | 'end' | 'names' | 'path' | 'paths'

/** One rule of an ignore file. */
export type IgnorePattern = {
  /** It takes back in what an earlier rule leaves out. */
  isNegated: boolean
  isForFolders: boolean
  kind: Kind
  text: string
  segment: GlobSegment | null
  ways: readonly Way[]
  /** What it takes to ask it, compared with one that only names something. */
  cost: number
}

/** Whether this path fits a rule; from the folder of the rule file on, and `name` is its last part. */
export function fitsPattern(pattern: IgnorePattern, path: string, name: string): boolean {
  switch (pattern.kind) {
    case 'name':
      return name === pattern.text
    case 'end':
      return name.endsWith(pattern.text)
    case 'names':
      return fitsSegment(pattern.segment!, name)
    case 'path':
      return path === pattern.text
    case 'paths': {
      const parts = path.split('/')
      return pattern.ways.some((way) => fitsParts(way, parts))
    }
  }
}

/** Any number of folders. */
const folders = Symbol('folders')
type Part = GlobSegment | string | typeof folders

const special = /[*?[\\]/

/** The rules that the text of an ignore file holds, as git reads them, in its order. */
export function ignorePatterns(text: string, ignoreCase: boolean): IgnorePattern[] {
  const rules = new Set<string>()
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const nul = line.indexOf('\0')
    const said = withoutSpaces((nul === -1 ? line : line.slice(0, nul)).replace(/\r$/, ''))
    const rule = ignoreCase ? said.toLowerCase() : said
    // The last rule that fits counts: a rule that is repeated later has no effect at its first place.
    rules.delete(rule)
    rules.add(rule)
  }
  return [...rules].flatMap((rule) => ignorePattern(rule, ignoreCase) ?? [])
}

/** Spaces at the end do not count, unless the first of them is escaped. */
function withoutSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end -= 1
  if (end === line.length) return line
  let escapes = 0
  while (end - escapes > 0 && line[end - escapes - 1] === '\\') escapes += 1
  return line.slice(0, escapes % 2 === 1 ? end + 1 : end)
}

function ignorePattern(rule: string, ignoreCase: boolean): IgnorePattern | null {
  const isNegated = rule.startsWith('!')
  const whole = isNegated ? rule.slice(1) : rule
  const isForFolders = whole.endsWith('/')
  const body = isForFolders ? whole.slice(0, -1) : whole
  const about = body.includes('/')
    ? aboutPaths(body.replace(/^\//, ''), ignoreCase)
    : aboutNames(body, ignoreCase)
  if (!about) return null
  const cost = about.kind === 'names' || about.kind === 'paths' ? body.length : 1
  return { isNegated, isForFolders, text: '', segment: null, ways: [], ...about, cost }
}

type About = Pick<IgnorePattern, 'kind'> & Partial<IgnorePattern>

/** A rule without a slash is about names, at any depth. */
function aboutNames(body: string, ignoreCase: boolean): About | null {
  if (body === '') return null
  if (!special.test(body)) return { kind: 'name', text: body }
  if (body[0] === '*' && !special.test(body.slice(1))) return { kind: 'end', text: body.slice(1) }
  const segment = globSegment(body, ignoreCase)
  return segment && { kind: 'names', segment }
}

/** One with a slash is about paths from its own folder on. */
function aboutPaths(body: string, ignoreCase: boolean): About | null {
  if (!special.test(body)) return { kind: 'path', text: body }
  // An escaped slash is one, but without it the folders before it could not be none.
  const plain = body.replace(/(?<=^|\/)\*{2,}\\\//g, '*/**/')
  const ways = waysOf(plain).flatMap((way) => partsOf(way, ignoreCase) ?? [])
  return ways.length === 0 ? null : { kind: 'paths', ways }
}

/**
 * Git compares what comes before the first special letter by itself, and for the rest a `**` at its beginning stands for
 * folders, also in the middle of a name: `ab**` and `ab**` + `/c` reach into folders whose names begin with `ab`.
 */
function waysOf(body: string, from = body.search(special)): string[] {
  const run = /^\*{2,}/.exec(body.slice(from))?.[0].length ?? 0
  if (run === 0 || from === 0 || body[from - 1] === '/') return [body]
  const [start, rest] = [body.slice(0, from), body.slice(from + run)]
  if (rest === '') return [`${start}*`, `${start}*/**`]
  if (!/^\\?\//.test(rest)) return [body]
  const after = rest.replace(/^\\?\/(?:\*{2,}\/)*/, '')
  const isStarred = after.startsWith('**')
  const further = `${start}*/**/${after}`
  if (rest.startsWith('\\')) return [further]
  return [...(isStarred ? waysOf(start + after, from) : [start + after]), further]
}

type Way = { parts: Part[]; least: number }

/** The parts of a path pattern; null if nothing can fit one of them. */
function partsOf(body: string, ignoreCase: boolean): Way | null {
  const parts: Part[] = []
  for (const part of splitAtSlashes(body)) {
    if (/^\*{2,}$/.test(part)) {
      if (parts.at(-1) !== folders) parts.push(folders)
    } else if (!special.test(part)) parts.push(part)
    else {
      const segment = globSegment(part, ignoreCase)
      if (!segment) return null
      parts.push(segment)
    }
  }
  return { parts, least: parts.filter((part) => part !== folders).length }
}

/** At slashes, escaped ones too, but not at those in brackets. */
function splitAtSlashes(body: string): string[] {
  const parts: string[] = []
  let part = ''
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '/' || body.startsWith('\\/', at)) {
      if (body[at] === '\\') at += 1
      parts.push(part)
      part = ''
      continue
    }
    const end = body[at] === '[' ? endOfBrackets(body, at) : body[at] === '\\' ? at + 1 : at
    part += body.slice(at, end + 1)
    at = end
  }
  return [...parts, part]
}

/** The place of the bracket that closes this one; the place before the end if none does. */
function endOfBrackets(body: string, from: number): number {
  let at = from + 1
  if (body[at] === '!' || body[at] === '^') at += 1
  for (let isFirst = true; at < body.length; isFirst = false, at++) {
    if (body[at] === ']' && !isFirst) return at
    if (body[at] === '\\') at += 1
    else if (body.startsWith('[:', at)) {
      const close = body.indexOf(']', at + 2)
      if (close > at + 2 && body[close - 1] === ':') at = close
    }
  }
  return body.length - 1
}

/** As for the letters of a name: only the last `**` is ever tried again with more folders. */
function fitsParts({ parts, least }: Way, names: readonly string[]): boolean {
  if (names.length < least) return false
  let part = 0
  let at = 0
  let afterFolders = -1
  let foldersAt = 0
  while (at < names.length) {
    const wanted = parts[part]
    if (wanted === folders) {
      part += 1
      if (part === parts.length) return true
      afterFolders = part
      foldersAt = at
    } else if (wanted !== undefined && fitsPart(wanted, names[at]!)) {
      part += 1
      at += 1
    } else if (afterFolders >= 0) {
      part = afterFolders
      foldersAt += 1
      at = foldersAt
    } else return false
  }
  return part === parts.length
}

const fitsPart = (wanted: GlobSegment | string, name: string) =>
  typeof wanted === 'string' ? wanted === name : fitsSegment(wanted, name)
