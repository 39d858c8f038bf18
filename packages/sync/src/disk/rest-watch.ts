/** A process that did no more than this between two looks is at rest. */
const restMs = 50
/** Less work than this leaves nothing behind that would be worth the trouble. */
const workMs = 500

/** Tells from how much a process has worked whether it rests now, and whether it has earned it. */
export class RestWatch {
  #atLookMs = 0
  #atRestMs = 0

  /** What to make of this much work in all: it goes on, it is over and was little, or it is over and was much. */
  look(cpuMs: number): 'at work' | 'nothing done' | 'much done' {
    const isAtRest = cpuMs - this.#atLookMs < restMs
    this.#atLookMs = cpuMs
    if (!isAtRest) return 'at work'
    return cpuMs - this.#atRestMs > workMs ? 'much done' : 'nothing done'
  }

  /** What it took to tidy up is no work. */
  rested(cpuMs: number): void {
    this.#atRestMs = cpuMs
    this.#atLookMs = cpuMs
  }
}
