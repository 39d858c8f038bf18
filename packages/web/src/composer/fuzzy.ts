export type Found<T> = { item: T; score: number; at: readonly number[] }

/** How many names are searched per key press. In a longer list the user would not find a name this way anyway. */
const mostLookedAt = 200_000

/**
 * The best matches that have all letters of the query in order, best first; `at` holds the positions of the
 * letters. Starts of words, consecutive letters and short names score higher. An empty query gives the first items.
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
  // Users mean the file name first, and the path only if the name does not match.
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
