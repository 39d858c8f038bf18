export type Found<T> = { item: T; score: number; at: readonly number[] }

/** Looked through per key press: with more of them nobody would find theirs in a list anyway. */
const mostLookedAt = 200_000

/**
 * The best of those that have all letters of the query in their order, best first; `at` are the places of the letters.
 * Beginnings of words, runs of letters and short names count more. An empty query finds the first ones as they come.
 */
export function fuzzy<T>(
  query: string,
  all: readonly T[],
  nameOf: (item: T) => string,
  most: number,
): Found<T>[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return all.slice(0, most).map((item) => ({ item, score: 0, at: [] }))
  const best: Found<T>[] = []
  for (let nth = 0; nth < Math.min(all.length, mostLookedAt); nth++) {
    const item = all[nth]!
    const found = match(wanted, nameOf(item))
    if (!found) continue
    const worst = best[most - 1]
    if (worst && worst.score >= found.score) continue
    let place = best.length
    while (place > 0 && best[place - 1]!.score < found.score) place--
    best.splice(place, 0, { item, ...found })
    if (best.length > most) best.pop()
  }
  return best
}

function match(wanted: string, name: string): { score: number; at: number[] } | null {
  const lower = name.toLowerCase()
  const lastSlash = lower.lastIndexOf('/')
  // The name of the file itself is what people mean, and its path only where that is not enough.
  const inName = lastSlash >= 0 ? walk(wanted, name, lower, lastSlash + 1) : null
  const found = inName ?? walk(wanted, name, lower, 0)
  if (!found) return null
  return { at: found.at, score: found.score + (inName || lastSlash < 0 ? 20 : 0) - name.length / 8 }
}

function walk(
  wanted: string,
  name: string,
  lower: string,
  from: number,
): { score: number; at: number[] } | null {
  const whole = lower.indexOf(wanted, from)
  if (whole >= 0) {
    const at = Array.from(wanted, (_, nth) => whole + nth)
    return { at, score: wanted.length * 6 + (isBeginning(name, whole) ? 14 : 0) }
  }
  const at: number[] = []
  let score = 0
  let place = from - 1
  for (const letter of wanted) {
    const next = lower.indexOf(letter, place + 1)
    if (next < 0) return null
    score += next === place + 1 && at.length > 0 ? 6 : isBeginning(name, next) ? 7 : 1
    at.push(next)
    place = next
  }
  return { at, score }
}

function isBeginning(name: string, at: number): boolean {
  if (at === 0) return true
  const before = name[at - 1]!
  return /[/_\-. ]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(name[at]!))
}
