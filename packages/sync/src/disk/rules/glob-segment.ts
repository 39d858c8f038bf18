type Test = (code: number) => boolean
/** A letter by its number, any one letter, any number of letters, or some of them. */
type Token = number | 'one' | 'any' | Test

/** A pattern for one name: what stands between two slashes of an ignore rule. */
export type GlobSegment = { tokens: readonly Token[]; least: number }

const star = 42
const question = 63
const bracket = 91
const backslash = 92

/** Reads a pattern for one name as git's wildmatch does. Null if nothing can fit it, as where a bracket stays open. */
export function globSegment(pattern: string, ignoreCase: boolean): GlobSegment | null {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern.charCodeAt(at)
    if (code === star) {
      if (tokens.at(-1) !== 'any') tokens.push('any')
    } else if (code === question) tokens.push('one')
    else if (code === backslash) {
      at += 1
      if (at === pattern.length) return null
      tokens.push(pattern.charCodeAt(at))
    } else if (code === bracket) {
      const found = charClass(pattern, at, ignoreCase)
      if (!found) return null
      tokens.push(found.test)
      at = found.end
    } else tokens.push(code)
  }
  return { tokens, least: tokens.filter((token) => token !== 'any').length }
}

/**
 * Whether a name fits. Only the last star is ever tried again with more letters, which is enough and keeps this as fast as
 * the lengths of both multiplied, with any rules that an agent writes.
 */
export function fitsSegment({ tokens, least }: GlobSegment, name: string): boolean {
  if (name.length < least) return false
  let token = 0
  let at = 0
  let afterStar = -1
  let starAt = 0
  while (at < name.length) {
    const wanted = tokens[token]
    if (wanted === 'any') {
      token += 1
      if (token === tokens.length) return true
      afterStar = token
      starAt = at
    } else if (wanted !== undefined && fits(wanted, name.charCodeAt(at))) {
      token += 1
      at += 1
    } else if (afterStar >= 0) {
      token = afterStar
      starAt += 1
      at = starAt
    } else return false
  }
  while (tokens[token] === 'any') token += 1
  return token === tokens.length
}

const fits = (wanted: Exclude<Token, 'any'>, code: number) =>
  wanted === 'one' || (typeof wanted === 'number' ? wanted === code : wanted(code))

const between = (least: string, most: string): Test => {
  const [first, last] = [least.charCodeAt(0), most.charCodeAt(0)]
  return (code) => code >= first && code <= last
}
const anyOf =
  (...tests: Test[]): Test =>
  (code) =>
    tests.some((test) => test(code))
const [digit, lower, upper, graph] = [
  between('0', '9'),
  between('a', 'z'),
  between('A', 'Z'),
  between('!', '~'),
]
const alpha = anyOf(lower, upper)
const alnum = anyOf(digit, alpha)
const space = (code: number) => code === 32

const named = new Map<string, Test>([
  ['alnum', alnum],
  ['alpha', alpha],
  ['blank', anyOf(space, (code) => code === 9)],
  ['cntrl', (code) => code < 32 || code === 127],
  ['digit', digit],
  ['graph', graph],
  ['lower', lower],
  ['print', anyOf(space, graph)],
  ['punct', (code) => graph(code) && !alnum(code)],
  ['space', anyOf(space, (code) => code >= 9 && code <= 13)],
  ['upper', upper],
  ['xdigit', anyOf(digit, between('a', 'f'), between('A', 'F'))],
])

/** Some letters in brackets, and where they end; null if they do not, or name a class that there is not. */
function charClass(pattern: string, from: number, ignoreCase: boolean): { test: Test; end: number } | null {
  const tests: Test[] = []
  let at = from + 1
  const isNegated = pattern[at] === '!' || pattern[at] === '^'
  if (isNegated) at += 1
  let before: number | null = null
  // A bracket that closes at once is one of the letters.
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false, at++) {
    if (at >= pattern.length) return null
    if (pattern[at] === '[' && pattern[at + 1] === ':') {
      const close = pattern.indexOf(']', at + 2)
      if (close === -1) return null
      if (close > at + 2 && pattern[close - 1] === ':') {
        const kind = named.get(pattern.slice(at + 2, close - 1))
        if (!kind) return null
        tests.push(kind)
        at = close
        before = null
        continue
      }
    }
    const isRange: boolean =
      pattern[at] === '-' && before !== null && at + 1 < pattern.length && pattern[at + 1] !== ']'
    if (isRange) at += 1
    if (pattern[at] === '\\') at += 1
    if (at >= pattern.length) return null
    const code = pattern.charCodeAt(at)
    const least = isRange ? before! : code
    tests.push((one) => one >= least && one <= code)
    before = isRange ? null : code
  }
  const has = (code: number) => tests.some((test) => test(code))
  const hasAnyCase = (code: number) => has(code) || casesOf(code).some(has)
  const test = ignoreCase ? hasAnyCase : has
  return { test: isNegated ? (code) => !test(code) : test, end: at }
}

const casesOf = (code: number) => {
  const letter = String.fromCharCode(code)
  return [letter.toLowerCase().charCodeAt(0), letter.toUpperCase().charCodeAt(0)]
}
