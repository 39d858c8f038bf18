export type Deed = { call: string; result: string }

const warnAt = 3
const stopAt = 5

/** Whether the last deeds are the same one over and over, with the same result: first a warning, then the end. */
export function repeats(deeds: readonly Deed[]): 'no' | 'warn' | 'stop' {
  const last = deeds.at(-1)
  if (!last) return 'no'
  const other = deeds.findLastIndex(({ call, result }) => call !== last.call || result !== last.result)
  const times = deeds.length - 1 - other
  if (times >= stopAt) return 'stop'
  return times >= warnAt ? 'warn' : 'no'
}
