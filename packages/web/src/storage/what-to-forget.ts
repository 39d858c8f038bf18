/** A cached run: its size and when it was last used. */
export type KeptRun = { run: string; bytes: number; usedAt: number }

export type CacheLimits = { bytes: number; ageMs: number }

/** A phone allows a page some hundred megabytes, and other data needs space, too. */
export const cacheLimits: CacheLimits = { bytes: 60 * 1024 ** 2, ageMs: 30 * 24 * 3600_000 }

/** The limit for one run: the beginning of a log is useful even without its end. */
export const mostBytesOfRun = 20 * 1024 ** 2

/** The runs to remove: those not used for long, then the least recently used until the rest fits. */
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
