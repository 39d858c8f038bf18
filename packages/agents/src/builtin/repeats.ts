export type MadeCall = { call: string; result: string }

const warnAt = 3
const stopAt = 5

/** Some go round in a circle of a few calls. */
const longestRound = 4

/** Whether the last deeds are the same over and over, with the same results: first a warning, then the end. */
export function repeats(deeds: readonly MadeCall[]): 'no' | 'warn' | 'stop' {
  const rounds = Array.from({ length: longestRound }, (_, at) => roundsOf(deeds, at + 1))
  const most = Math.max(...rounds)
  if (most >= stopAt) return 'stop'
  return most >= warnAt ? 'warn' : 'no'
}

/** How many times over the last `size` deeds have been done without anything else between. */
function roundsOf(deeds: readonly MadeCall[], size: number): number {
  const same = deeds.toReversed().findIndex((deed, at, all) => {
    const first = all[at % size]
    return deed.call !== first?.call || deed.result !== first.result
  })
  return Math.floor((same < 0 ? deeds.length : same) / size)
}
