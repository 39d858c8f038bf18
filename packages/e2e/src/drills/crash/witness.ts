import type { IncomingMessage } from 'node:http'
import { paths } from '@farhand/protocol/wire/routes'
import type { Dice } from '@farhand/testkit/dice'
import { open } from '../call-hub.ts'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'
import type { StampedWriter } from './stamped-writer.ts'

/** A reader that remembers what it read: a cursor, and a connection that is made again whenever it breaks. */
abstract class Witness {
  protected readonly stage: Stage
  protected readonly name: string
  protected readonly dice: Dice
  protected token: string | null = null
  protected cursor = 0
  /** Sees every event; a runner sees only what no runner wrote. */
  protected seesAll = true
  #text = ''

  constructor(stage: Stage, name: string) {
    this.stage = stage
    this.name = name
    this.dice = stage.dice.fork()
  }

  /** Reads until there is no more to come. */
  async watch(): Promise<void> {
    while (!this.done()) {
      await this.stage.up()
      await this.#read()
      // Sometimes it has forgotten what it knew, and is told again.
      if (this.dice.chance(0.1)) this.cursor = Math.max(0, this.cursor - this.dice.between(0, 200))
      if (this.dice.chance(0.003)) this.cursor = 0
      await this.rest()
    }
  }

  protected abstract where(): { path: string; headers: Record<string, string> }
  /** Takes what is whole in the text and gives back the rest. */
  protected abstract take(text: string): string

  protected async refused(status: number, text: string): Promise<void> {
    if (status !== 503)
      throw new BrokenPromise(`${this.name} asked for more than ${this.cursor}: ${status} ${text}`)
    await this.stage.pause(5)
  }

  protected async rest(): Promise<void> {}

  /** The hub lets it read. */
  protected accepted(): void {}

  protected done(): boolean {
    return this.stage.lastId !== null && this.cursor >= this.stage.lastId
  }

  protected moveTo(id: number): void {
    const next = this.cursor + 1
    if (this.seesAll ? id !== next : id < next)
      throw new BrokenPromise(`${this.name} expected event ${next} and got ${id} (W18)`)
    if (id > next) this.stage.ledger.wasLeftOut(this.name, next, id - 1)
    this.cursor = id
  }

  async #read(): Promise<void> {
    const answer = await open(this.stage.hub.port, {
      method: 'GET',
      token: this.token ?? this.stage.hub.token,
      ...this.where(),
    }).catch(() => null)
    if (!answer) return
    const leave = () => answer.destroy()
    const unwatch = this.stage.onLastId(() => this.done() && leave())
    try {
      await this.#readAnswer(answer)
    } finally {
      unwatch()
      leave()
    }
  }

  async #readAnswer(answer: IncomingMessage): Promise<void> {
    answer.setEncoding('utf8')
    this.#text = ''
    if (answer.statusCode === 200) this.accepted()
    // What breaks off is no surprise here; what was said until then counts.
    for await (const piece of pieces(answer)) {
      this.#text += piece
      if (answer.statusCode !== 200) continue
      this.#text = this.take(this.#text)
      if (this.done() || this.dice.chance(0.01)) return
    }
    if (answer.statusCode !== 200) await this.refused(answer.statusCode!, this.#text)
  }
}

async function* pieces(answer: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* answer as AsyncIterable<string>
  } catch {
    // The connection broke: as far as a reader can tell, the same as its end.
  }
}

/** Follows the live stream, in one of its two forms. */
export class StreamWitness extends Witness {
  readonly #form: 'bare' | 'stored'

  constructor(stage: Stage, name: string, form: 'bare' | 'stored') {
    super(stage, name)
    this.#form = form
  }

  protected query(): string {
    return this.#form === 'stored' ? '?envelope=stored' : ''
  }

  protected override where() {
    return {
      path: `${this.stage.path}${this.query()}`,
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(this.cursor) },
    }
  }

  protected override take(text: string): string {
    let from = 0
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', from)) {
      this.#takeBlock(text.slice(from, end))
      from = end + 2
    }
    return text.slice(from)
  }

  #takeBlock(block: string): void {
    const [, id, data] = /^id: (\d+)\ndata: ([^\n]+)$/.exec(block) ?? []
    if (id !== undefined && data !== undefined) {
      this.moveTo(Number(id))
      this.stage.ledger.wasShown(
        this.name,
        Number(id),
        this.#form === 'stored' ? 'line' : 'notification',
        data,
      )
      return
    }
    if (/^: |^event: reconnect\n/.test(block)) return
    const [, live] = /^event: live\ndata: \{"lastEventId":(\d+)\}$/.exec(block) ?? []
    if (live === undefined || (this.seesAll && Number(live) !== this.cursor))
      throw new BrokenPromise(`${this.name} at ${this.cursor} was told: ${block.slice(0, 300)}`)
  }
}

/** Fetches the stored lines again and again (W24b). */
export class LinesWitness extends Witness {
  protected override rest(): Promise<void> {
    return this.stage.pause(this.dice.between(0, 20))
  }

  protected override where() {
    return { path: `${paths.log(this.stage.at)}?after=${this.cursor}`, headers: {} }
  }

  protected override take(text: string): string {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end)
      const id = Number(/^\{"id":(\d+),/.exec(line)?.[1])
      this.moveTo(id)
      this.stage.ledger.wasShown(this.name, id, 'line', line)
      from = end + 1
    }
    return text.slice(from)
  }
}

class RunnerWitness extends StreamWitness {
  readonly #writer: StampedWriter
  #wasStale = false
  #fenced = false

  constructor(stage: Stage, writer: StampedWriter, token: string) {
    super(stage, `the ears of ${writer.identity.name}`, 'stored')
    this.token = token
    this.seesAll = false
    this.cursor = Math.max(0, stage.ledger.lastId - this.dice.between(0, 300))
    this.#writer = writer
  }

  protected override query(): string {
    this.#wasStale = this.#writer.stale
    return '?envelope=stored&to=agent'
  }

  protected override accepted(): void {
    if (this.#wasStale) throw new BrokenPromise(`${this.name} were given a stream though it is over (W8)`)
  }

  protected override done(): boolean {
    return this.#fenced || (this.stage.lastId !== null && !this.#writer.rivalled)
  }

  protected override async refused(status: number, text: string): Promise<void> {
    if (status !== 403 || !this.#writer.rivalled) return super.refused(status, text)
    this.#fenced = true
  }
}

/** What a runner hears, until another one has taken its place. */
export function watchAsRunner(stage: Stage, writer: StampedWriter, token: string): Promise<void> {
  return new RunnerWitness(stage, writer, token).watch()
}
