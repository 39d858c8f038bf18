import { Posted } from '@farhand/protocol/schemas/api'
import { FaultAnswer } from '@farhand/protocol/wire/faults'
import type { Dice } from '@farhand/testkit/dice'
import type { Answer } from '../call-hub.ts'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'

export type Identity = {
  name: string
  method: string
  producer: string
  epoch: number
  token?: string
  headers?: Record<string, string>
}

/**
 * A writer that numbers its events (W7). What became of a request it got no answer to it does not know, so it says
 * the same again, in the same or in other batches, together with some of what it knows is stored.
 */
export class StampedWriter {
  readonly identity: Identity
  /** A rival was asked for: from here on being refused is not a surprise. */
  rivalled = false
  /** The rival is known to have begun: from here on being accepted is one. */
  stale = false
  epoch: number
  readonly #stage: Stage
  readonly #dice: Dice
  /** What it says under each seq of this epoch. */
  #said: string[] = []
  #stored = 0
  #sent = 0

  constructor(stage: Stage, identity: Identity) {
    this.#stage = stage
    this.#dice = stage.dice.fork()
    this.identity = identity
    this.epoch = identity.epoch
  }

  /** Whether everything it ever sent in this epoch is known to be stored. */
  get settled(): boolean {
    return this.#stored === this.#sent
  }

  get #name(): string {
    return `${this.identity.name} in epoch ${this.epoch}`
  }

  /** Sends a batch; false when it was refused because of a rival. */
  async write(): Promise<boolean> {
    const again = this.#dice.chance(0.2) ? this.#dice.between(0, Math.min(this.#stored, 30)) : 0
    const first = this.#stored - again
    const share = this.#dice.next()
    const size = share < 0.7 ? 1 : share < 0.95 ? this.#dice.between(2, 20) : this.#dice.between(50, 200)
    return this.#say(first, size)
  }

  /** Sends what is not known to be stored until it is. */
  async finish(): Promise<void> {
    while (!this.settled && !this.stale) await this.#say(this.#stored, this.#sent - this.#stored)
  }

  /** Leaves a seq out, which must be refused with the one that was expected (W7). */
  async leaveGap(): Promise<void> {
    if (!this.settled) return
    const answer = await this.#post(this.epoch, this.#stored + this.#dice.between(1, 5), [this.#text(0)])
    if (answer === 'lost' || answer.status === 503) return
    const fault = readFault(answer)
    if (answer.status === 409 && fault.code === 'producer.gap' && fault.expected === this.#stored) return
    if (answer.status === 403 && this.rivalled) return
    throw new BrokenPromise(`${this.#name} left a gap after ${this.#stored}: ${show(answer)}`)
  }

  /** Goes on in a new epoch, after which the old one must be refused (W7). */
  async beginEpoch(): Promise<void> {
    const [oldEpoch, oldNext] = [this.epoch, this.#stored]
    this.epoch += 1
    this.#said = []
    this.#stored = 0
    this.#sent = 0
    while (this.#stored === 0) await this.write()
    const answer = await this.#post(oldEpoch, oldNext, [this.#text(0)])
    if (answer === 'lost' || answer.status === 503) return
    const fault = readFault(answer)
    if (answer.status === 403 && fault.code === 'producer.fenced' && fault.current === this.epoch) return
    throw new BrokenPromise(`${this.#name} wrote in its epoch before: ${show(answer)}`)
  }

  async #say(first: number, count: number): Promise<boolean> {
    const { stale } = this
    const texts: string[] = []
    for (let seq = first; seq < first + count; seq += 1) {
      const text = this.#said[seq] ?? this.#text(seq)
      this.#said[seq] = text
      texts.push(text)
    }
    this.#sent = Math.max(this.#sent, first + count)
    const answer = await this.#post(this.epoch, first, texts)
    if (answer === 'lost' || answer.status === 503) return true
    if (answer.status === 403 && this.rivalled) return false
    if (answer.status !== 202 || stale) {
      throw new BrokenPromise(
        `${this.#name}${stale ? ', which is over,' : ''} wrote ${first}: ${show(answer)}`,
      )
    }
    const { ids } = Posted.parse(JSON.parse(answer.text))
    if (ids.length !== count) throw new BrokenPromise(`${count} events got ${ids.length} ids`)
    for (const [index, id] of ids.entries()) this.#stage.ledger.wasPromised(this.#name, id, texts[index]!)
    this.#stored = Math.max(this.#stored, first + count)
    return true
  }

  #post(epoch: number, seq: number, texts: readonly string[]): Promise<Answer | 'lost'> {
    const { producer, token, headers } = this.identity
    const form =
      texts.length === 1 ? this.#dice.pick(['one', 'array', 'lines']) : this.#dice.pick(['array', 'lines'])
    return this.#stage.call({
      method: 'POST',
      path: this.#stage.path,
      ...(token !== undefined && { token }),
      headers: {
        ...headers,
        'Content-Type': form === 'lines' ? 'application/x-ndjson' : 'application/json',
        'Producer-Id': producer,
        'Producer-Epoch': String(epoch),
        'Producer-Seq': String(seq),
      },
      body: form === 'one' ? texts[0]! : form === 'array' ? `[${texts.join(',')}]` : texts.join('\n'),
    })
  }

  #text(seq: number): string {
    // A few are long, so that a kill can fall into the middle of a write.
    const length = this.#dice.chance(0.003) ? this.#dice.between(50_000, 500_000) : this.#dice.between(0, 200)
    const text = `${this.epoch}/${seq} ${this.identity.name} ${'ä'.repeat(length / 2)}`
    return JSON.stringify({ jsonrpc: '2.0', method: this.identity.method, params: { text } })
  }
}

export function readFault({ text }: Answer): FaultAnswer['error'] {
  try {
    return FaultAnswer.parse(JSON.parse(text)).error
  } catch (cause) {
    throw new BrokenPromise(`this is not how the hub refuses: ${text.slice(0, 300)}`, { cause })
  }
}

export const show = ({ status, text }: Answer) => `${status} ${text.slice(0, 500)}`
