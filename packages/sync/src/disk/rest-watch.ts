/** A process that did no more than this between two looks is at rest. */
const restMs = 50
/** Less work than this leaves nothing behind that would be worth the trouble. */
const workMs = 500

/** Tells from how much a process has worked whether it rests now, and whether it has earned it. */
export class RestWatch {
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
