import type { Author, StoredEvent } from '@farhand/protocol/wire/event'

/** Breaks the drill: a promise of the hub did not hold. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

/** What must hold between the events of any log, checked one event after the other. */
export class LogRules {
  lastId = 0
  /** What the log says about the writer before each generation: the last seq it has of it. */
  readonly previousSeqs = new Map<number, number | null>()
  #generation = 0
  readonly #producers = new Map<string, { epoch: number; seq: number }>()
  readonly #keys = new Set<string>()

  take(event: StoredEvent): void {
    const { id, by, producer, key, notification } = event
    const claim = (holds: boolean, what: string) => {
      if (!holds) throw new BrokenPromise(`event ${id}: ${what}: ${JSON.stringify(event).slice(0, 300)}`)
    }
    claim(id === this.lastId + 1, `comes after ${this.lastId}, ids are not dense (W4)`)
    this.lastId = id

    if (by.kind === 'runner') {
      claim(by.generation === this.#generation, `generation ${this.#generation} is the only writer (W8)`)
      claim(
        producer === undefined || producer.epoch === by.generation,
        'the epoch is not the generation (W8)',
      )
    }
    if (producer) {
      const name = `${writerOf(by)} ${producer.id}`
      const known = this.#producers.get(name)
      const follows = known?.epoch === producer.epoch ? known.seq + 1 : 0
      claim(!known || producer.epoch >= known.epoch, `epoch ${known?.epoch} had already begun (W7)`)
      claim(producer.seq === follows, `expected seq ${follows} of ${name} (W7)`)
      this.#producers.set(name, { epoch: producer.epoch, seq: producer.seq })
      const label = String(notification.params?.text).split(' ', 1)[0]
      claim(label === `${producer.epoch}/${producer.seq}`, 'does not say what was sent under this stamp')
    }
    if (key) {
      const name = `${writerOf(by)} ${key.key}`
      claim(!this.#keys.has(name), `key ${key.key} is stored twice (W9)`)
      this.#keys.add(name)
    }
    if (notification.method === '_posthog/session_start') this.#begin(event, claim)
  }

  #begin({ notification }: StoredEvent, claim: (holds: boolean, what: string) => void): void {
    const generation = this.#generation + 1
    claim(notification.params?.generation === generation, `expected generation ${generation} (W8)`)
    const runner = this.#producers.get('runner runner')
    const previous = runner && runner.epoch === this.#generation ? runner.seq : null
    claim(notification.params?.previousSeq === previous, `previousSeq should be ${previous} (W8)`)
    this.previousSeqs.set(generation, previous)
    this.#generation = generation
  }
}

const writerOf = (by: Author) => ('id' in by ? `${by.kind}:${by.id}` : by.kind)
