/** A process that used no more than this between two looks is idle. */
const restMs = 50
/** Less work than this leaves nothing behind that would be worth the trouble. */
const workMs = 500

/** Decides from the processor time of a process whether it is idle now, and whether it did much work before. */
export class IdleDetector {
  #atLookMs = 0
  /** What it has done since it rested, without what it did in passing. */
  #workMs = 0

  /** What to make of this much work in all: it goes on, it is over and was little, or it is over and was much. */
  look(cpuMs: number): 'at work' | 'nothing done' | 'much done' {
    const sinceMs = cpuMs - this.#atLookMs
    this.#atLookMs = cpuMs
    if (sinceMs < restMs) return this.#workMs > workMs ? 'much done' : 'nothing done'
    this.#workMs += sinceMs
    return 'at work'
  }

  /** What it took to tidy up is no work. */
  rested(cpuMs: number): void {
    this.#workMs = 0
    this.#atLookMs = cpuMs
  }
}
