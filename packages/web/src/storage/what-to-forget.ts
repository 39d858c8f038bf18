/** What a cache knows of one run that it keeps. */
export type KeptRun = { run: string; bytes: number; usedAt: number }

export type CacheLimits = { bytes: number; ageMs: number }

/** A phone gives a page some hundred megabytes, and others want to keep something too. */
export const cacheLimits: CacheLimits = { bytes: 60 * 1024 ** 2, ageMs: 30 * 24 * 3600_000 }

/** Of one run no more than this: the beginning of a log is worth having also without its end. */
export const mostBytesOfRun = 20 * 1024 ** 2

/** The runs to forget: those that nobody has looked at for long, and of the others the least recently used until all fit. */
export function whatToForget(kept: readonly KeptRun[], nowMs: number, limits = cacheLimits): string[] {
  const newestFirst = kept.toSorted((a, b) => b.usedAt - a.usedAt)
  let bytes = 0
  return newestFirst
    .filter((one) => {
      bytes += one.bytes
      return bytes > limits.bytes || nowMs - one.usedAt > limits.ageMs
    })
    .map(({ run }) => run)
}
