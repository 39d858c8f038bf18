/** Lines that both have, or only one of them. */
export type DiffPart = { is: 'same' | 'removed' | 'added'; lines: readonly string[] }

// It takes the square of this in time and memory; texts that differ more are shown as replaced.
const mostSteps = 2_000

/** What turns some lines into others, with as few removed and added as can be found in a moment. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffPart[] {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const olds = before.slice(start, before.length - end)
  const news = after.slice(start, after.length - end)
  return joined([
    { is: 'same', lines: before.slice(0, start) },
    ...middle(olds, news),
    { is: 'same', lines: before.slice(before.length - end) },
  ])
}

function middle(olds: readonly string[], news: readonly string[]): DiffPart[] {
  const steps = olds.length === 0 || news.length === 0 ? null : shortestWay(olds, news)
  if (steps === null)
    return [
      { is: 'removed', lines: olds },
      { is: 'added', lines: news },
    ]
  return backwards(steps, olds, news).reverse()
}

/** Myers: how far down each diagonal one comes with so many steps; null if it takes too many. */
function shortestWay(olds: readonly string[], news: readonly string[]): Int32Array[] | null {
  const most = Math.min(olds.length + news.length, mostSteps)
  const reached: Int32Array[] = []
  let last = new Int32Array(3)
  for (let step = 0; step <= most; step++) {
    const now = new Int32Array(2 * step + 3)
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      let x = step === 0 ? 0 : startOn(diagonal, step, last)
      while (x < olds.length && x - diagonal < news.length && olds[x] === news[x - diagonal]) x += 1
      now[diagonal + step] = x
      if (x < olds.length || x - diagonal < news.length) continue
      reached.push(now)
      return reached
    }
    reached.push(now)
    last = now
  }
  return null
}

/** Where one begins on a diagonal: down from the one above, or right from the one below, whichever is further. */
function startOn(diagonal: number, step: number, last: Int32Array): number {
  const at = (other: number) => last[other + step - 1]!
  return isDown(diagonal, step, last) ? at(diagonal + 1) : at(diagonal - 1) + 1
}

const isDown = (diagonal: number, step: number, last: Int32Array) =>
  diagonal === -step || (diagonal !== step && last[diagonal - 1 + step - 1]! < last[diagonal + 1 + step - 1]!)

function backwards(reached: Int32Array[], olds: readonly string[], news: readonly string[]): DiffPart[] {
  const parts: DiffPart[] = []
  let x = olds.length
  let y = news.length
  for (let step = reached.length - 1; step > 0; step--) {
    const last = reached[step - 1]!
    const diagonal = x - y
    const from = startOn(diagonal, step, last)
    if (x > from) parts.push({ is: 'same', lines: olds.slice(from, x) })
    const down = isDown(diagonal, step, last)
    parts.push(
      down
        ? { is: 'added', lines: [news[from - diagonal - 1]!] }
        : { is: 'removed', lines: [olds[from - 1]!] },
    )
    x = down ? from : from - 1
    y = down ? from - diagonal - 1 : from - diagonal
  }
  if (x > 0) parts.push({ is: 'same', lines: olds.slice(0, x) })
  return parts
}

/** Neighbours of one kind become one, and within a change what is removed comes first. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const all: DiffPart[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    if (removed.length > 0) all.push({ is: 'removed', lines: removed })
    if (added.length > 0) all.push({ is: 'added', lines: added })
    removed = []
    added = []
  }
  for (const { is, lines } of parts) {
    if (lines.length === 0) continue
    // Not all at once: a function takes fewer arguments than a file has lines.
    if (is === 'removed') for (const line of lines) removed.push(line)
    else if (is === 'added') for (const line of lines) added.push(line)
    else {
      flush()
      const before = all.at(-1)
      if (before?.is === 'same') all[all.length - 1] = { is, lines: [...before.lines, ...lines] }
      else all.push({ is, lines })
    }
  }
  flush()
  return all
}
