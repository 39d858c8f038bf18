// Memory takes 0.01 to 0.03 ms; the fastest drives 0.1, and meanwhile the event loop could have done something else.
const quickMs = 0.06
// A trip to a thread and back takes some tenths of a millisecond by itself.
const promisingMs = 1
const promisingInARow = 4
const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** More bytes than this go to another thread, however quick the disk is: copying them takes a while too. */
const fewBytes = 64 * 1024
/** One slow write counts as much as this many quick ones, and two slow ones close together are no accident. */
const slowCounts = 16

/**
 * Decides where to wait for a disk: in this thread if the disk makes a few bytes durable sooner than another thread could
 * be asked (memory, or a drive with a battery), else in another thread. The price of measuring: now and then the event
 * loop waits for a disk that turns out to be slow.
 */
export class QuickDisk {
  readonly #nowMs: () => number
  #promising = 0
  #isQuick = false
  #slowness = 0
  #notBeforeMs = 0
  #waitMs = firstWaitMs

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Does it here and now if the disk has been quick with so few bytes, and in another thread otherwise. */
  async run<Result>(
    bytes: number,
    here: () => Result,
    inAnotherThread: () => Promise<Result>,
  ): Promise<Result> {
    if (bytes > fewBytes) return inAnotherThread()
    const startMs = this.#nowMs()
    if (this.#isQuick || (this.#promising >= promisingInARow && startMs >= this.#notBeforeMs)) {
      const result = here()
      this.#tookHere(this.#nowMs() - startMs)
      return result
    }
    const result = await inAnotherThread()
    this.#promising = this.#nowMs() - startMs < promisingMs ? this.#promising + 1 : 0
    return result
  }

  #tookHere(ms: number): void {
    if (ms < quickMs) {
      this.#isQuick = true
      if (this.#slowness === 1) this.#waitMs = firstWaitMs
      this.#slowness = Math.max(0, this.#slowness - 1)
      return
    }
    // Once may be an accident: the system gave the core to another process.
    this.#slowness += slowCounts
    if (this.#isQuick && this.#slowness <= slowCounts) return
    this.#isQuick = false
    this.#slowness = 0
    this.#promising = 0
    // Longer each time: a disk that is quick only now and then would block the event loop now and then.
    this.#notBeforeMs = this.#nowMs() + this.#waitMs
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs)
  }
}
