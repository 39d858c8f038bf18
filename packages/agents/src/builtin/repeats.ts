export type MadeCall = { call: string; result: string }

const warnAt = 3
const stopAt = 5

/** Some models repeat a cycle of a few calls. */
const longestRound = 4

/** Whether the last calls repeat with the same results: first a warning, then the end of the turn. */
export function repeats(calls: readonly MadeCall[]): 'no' | 'warn' | 'stop' {
  const rounds = Array.from({ length: longestRound }, (_, at) => roundsOf(calls, at + 1))
  const most = Math.max(...rounds)
  if (most >= stopAt) return 'stop'
  return most >= warnAt ? 'warn' : 'no'
}

/** How often the last `size` calls were repeated without any other call between. */
function roundsOf(calls: readonly MadeCall[], size: number): number {
  const same = calls.toReversed().findIndex((call, at, all) => {
    const first = all[at % size]
    return call.call !== first?.call || call.result !== first.result
  })
  return Math.floor((same < 0 ? calls.length : same) / size)
}
