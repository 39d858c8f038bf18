/** Up to three of these names that the user may have meant by the name that was typed, the likeliest first. */
export function nearestNames<Name extends string>(typed: string, names: Iterable<Name>): Name[] {
  const base = lastPart(typed)
  const scored = [...names].map((name) => ({ name, far: distance(typed, base, name) }))
  const near = scored.filter(({ far, name }) => far <= 1 + Math.min(base.length, lastPart(name).length) / 4)
  near.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  return near.slice(0, 3).map(({ name }) => name)
}

const lastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1)

// The same file elsewhere is the commonest mistake: paths are given from the wrong folder.
function distance(typed: string, base: string, name: string): number {
  if (lastPart(name) === base) return 0
  return Math.min(edits(base, lastPart(name)) + 1, edits(typed, name))
}

/** How many letters have to be changed, added or left out. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = row[j - 1]! + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(swapped, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
