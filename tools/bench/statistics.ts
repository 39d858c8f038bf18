/** The value below which the given share of the samples lies (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) return Number.NaN
  // A plain sort() would order numbers as text.
  const sorted = Float64Array.from(samples).sort()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!
}

/** The middle of the samples; of an even number the mean of the middle two. */
export function median(samples: readonly number[]): number {
  if (samples.length === 0) return Number.NaN
  const sorted = Float64Array.from(samples).sort()
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

export type Spread = { median: number; low: number; high: number }

export function spread(samples: readonly number[]): Spread {
  return { median: median(samples), low: Math.min(...samples), high: Math.max(...samples) }
}

/** How many times `over` the samples are, round by round: drift of the machine hits both sides of one round. */
export function ratios(samples: readonly number[], over: readonly number[]): number[] {
  return samples.slice(0, over.length).map((value, round) => value / over[round]!)
}

/** What many times of one kind come to. */
export function sampleOf(times: readonly number[]): Record<string, number> {
  return {
    'p50 ms': percentile(times, 0.5),
    'p95 ms': percentile(times, 0.95),
    'slowest ms': Math.max(...times),
  }
}
