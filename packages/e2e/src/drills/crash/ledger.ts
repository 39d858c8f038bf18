import { StoredEvent } from '@farhand/protocol/wire/event'
import { BrokenPromise, LogRules } from './log-rules.ts'

type Claim = { who: string; id: number; what: 'line' | 'notification' | 'by runner'; text: string }

/** Everything the hub ever said about a log, held against what is on its disk. */
export class Ledger {
  /** The log as it was on disk the last time; it may only grow. */
  #disk: Buffer = Buffer.alloc(0)
  /** Where each line begins, and after them where the next one will. */
  readonly #starts = [0]
  readonly #rules = new LogRules()
  #open: Claim[] = []
  #grants: { generation: number; previousSeq: number | null }[] = []
  acknowledged = 0
  seen = 0
  torn = 0

  get lastId(): number {
    return this.#rules.lastId
  }

  /** The hub said that this notification is durable under this id. */
  wasPromised(who: string, id: number, notification: string): void {
    this.acknowledged += 1
    this.#hold({ who, id, what: 'notification', text: notification })
  }

  wasShown(who: string, id: number, what: 'line' | 'notification', text: string): void {
    this.seen += 1
    this.#hold({ who, id, what, text })
  }

  /** The hub left these out for a reader that wants only what no runner wrote. */
  wasLeftOut(who: string, first: number, last: number): void {
    for (let id = first; id <= last; id += 1) this.#hold({ who, id, what: 'by runner', text: '' })
  }

  wasGranted(generation: number, previousSeq: number | null): void {
    this.#grants.push({ generation, previousSeq })
  }

  /** Compares with the log file of a hub that is not running; `whole` when nothing may be torn. */
  compare(disk: Buffer, whole: boolean): void {
    const known = this.#starts.at(-1)!
    if (!disk.subarray(0, known).equals(this.#disk.subarray(0, known)))
      throw new BrokenPromise(`the first ${known} bytes of the log changed or are gone`)
    this.#disk = disk
    let line = known
    for (let end = disk.indexOf(0x0a, line); end >= 0; end = disk.indexOf(0x0a, line)) {
      this.#rules.take(parseLine(disk.toString('utf8', line, end)))
      line = end + 1
      this.#starts.push(line)
    }
    if (line < disk.length) this.torn += 1
    if (whole && line < disk.length)
      throw new BrokenPromise('the log of a hub that stopped ends within a line')
    const claims = this.#open
    this.#open = []
    for (const claim of claims) {
      if (claim.id > this.lastId)
        throw new BrokenPromise(
          `event ${claim.id}, told to ${claim.who}, is gone: the log ends at ${this.lastId}`,
        )
      this.#settle(claim)
    }
    this.#checkGrants()
  }

  #hold(claim: Claim): void {
    if (claim.id <= this.lastId) this.#settle(claim)
    else this.#open.push(claim)
  }

  #settle({ who, id, what, text }: Claim): void {
    const line = this.#disk.toString('utf8', this.#starts[id - 1], this.#starts[id]! - 1)
    if (what === 'line' ? line === text : says(line, what, text)) return
    throw new BrokenPromise(
      `event ${id} was told to ${who} as ${text.slice(0, 300)} and is ${line.slice(0, 300)}`,
    )
  }

  #checkGrants(): void {
    for (const { generation, previousSeq } of this.#grants) {
      const stored = this.#rules.previousSeqs.get(generation)
      if (stored === previousSeq) continue
      throw new BrokenPromise(
        `generation ${generation} was told previousSeq ${previousSeq}, the log says ${stored}`,
      )
    }
    this.#grants = []
  }
}

function says(line: string, what: 'notification' | 'by runner', text: string): boolean {
  const { notification, by } = JSON.parse(line) as StoredEvent
  return what === 'notification' ? JSON.stringify(notification) === text : by.kind === 'runner'
}

function parseLine(line: string): StoredEvent {
  try {
    return StoredEvent.parse(JSON.parse(line))
  } catch (cause) {
    throw new BrokenPromise(`a whole line is not an event: ${line.slice(0, 300)}`, { cause })
  }
}
