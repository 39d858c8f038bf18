import { event } from '@farhand/protocol/events/event-names'
import { type Author, notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { type DiskTrouble, SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import type { Batch, EventLog } from './event-log.ts'
import { openFileEventLog } from './file-event-log.ts'
import { decodeLine } from './stored-line.ts'

const run = 'run_drilldrill' as RunId

/** One writer as it knows itself: what it has to say, and which ids it was told. */
type Writer = {
  by: Author
  epoch: number
  texts: string[]
  ids: (number | undefined)[]
  sent: number
}

/** A log that is written, read and crashed at random, and everything its writers and readers were ever told. */
export class LogDrill {
  readonly #random: () => number
  #disk: SimulatedDisk
  #log!: EventLog
  #troubled = false
  #count = 0
  #generation = 0
  #writers: Writer[]
  #keyed: { text: string; key: string; id?: number }[] = []
  /** The line of each id that any reader ever got. */
  #seen: string[] = []
  #pending = new Set<Promise<void>>()
  #failure: unknown = null
  /** The same for all rounds: a log that was written in longer steps could be torn further from its end. */
  readonly #writeBytesMax: number
  readonly stats = { refused: 0, crashes: 0, events: 0 }

  constructor(random: () => number) {
    this.#random = random
    this.#disk = new SimulatedDisk({ random, trouble: (what) => this.#trouble(what) })
    this.#writeBytesMax = this.#pick(100, 1000, 1_000_000)
    this.#writers = [0, 1].map((n) => newWriter({ kind: 'device', id: `dev_${n}` }, 0))
  }

  /** Some appends and reads, then an end of one kind or another, then a look at everything that is left. */
  async round(): Promise<void> {
    this.#log = await openFileEventLog({
      dir: '/logs',
      disk: this.#disk,
      idleMs: Number.POSITIVE_INFINITY,
      tailBytes: this.#pick(0, 400, 100_000),
      snapshotEvents: this.#pick(3, 10, 1000),
      writeBytesMax: this.#writeBytesMax,
      now: () => 1_700_000_000_000 + Math.floor(this.#random() * 1000),
    })
    await this.#checkAll()
    this.#disk.slowness = 3
    for (let action = this.#below(12); action >= 0; action -= 1) await this.#act()
    this.#troubled = false
    await this.#end()
    if (this.#failure) throw this.#failure
    this.#pending.clear()
    for (const writer of this.#writers) writer.sent = writer.ids.length
  }

  async #act(): Promise<void> {
    const dice = this.#random()
    this.#troubled = this.#random() < 0.15
    if (dice < 0.5) this.#watch(this.#sendStamped(this.#pick(...this.#writers)!))
    else if (dice < 0.65) this.#watch(this.#sendKeyed())
    else if (dice < 0.72) this.#watch(this.#beginGeneration())
    else if (dice < 0.78) this.#watch(this.#sendStale())
    else if (dice < 0.9) await this.#readSome()
    else await Promise.all(this.#pending)
    for (let turns = this.#below(3); turns > 0; turns -= 1) await new Promise(setImmediate)
  }

  async #end(): Promise<void> {
    const how = this.#pick('kill', 'power-loss', 'power-loss', 'close')
    if (how === 'close') {
      await this.#log.close()
      await Promise.all(this.#pending)
    } else {
      this.stats.crashes += 1
      this.#disk = this.#disk.crash(how)
    }
  }

  async #sendStamped(writer: Writer): Promise<void> {
    const { epoch, by } = writer
    const from = this.#random() < 0.3 ? this.#below(writer.sent + 1) : writer.sent
    const count = 1 + this.#below(4)
    while (writer.texts.length < from + count) writer.texts.push(this.#text())
    writer.sent = Math.max(writer.sent, from + count)
    const texts = writer.texts.slice(from, from + count)
    try {
      const { ids } = await this.#append({ by, producer: { id: 'p', epoch, seq: from } }, texts)
      if (ids.length !== count) throw new Error(`${count} events got ${ids.length} ids`)
      for (const [index, id] of ids.entries()) told(writer, from + index, id)
    } catch (error) {
      this.#mayRefuse(error, 'producer.gap', 'runner.fenced')
      writer.sent = writer.ids.length
    }
  }

  async #sendKeyed(): Promise<void> {
    if (this.#keyed.length === 0 || this.#random() < 0.5) {
      this.#keyed.push({ text: this.#text(), key: `key-${this.#count}` })
    }
    const message = this.#pick(...this.#keyed)!
    const by: Author = { kind: 'web', id: 'usr_1' }
    try {
      const { ids } = await this.#append({ by, key: { key: message.key, body: message.text } }, [
        message.text,
      ])
      if (message.id !== undefined && message.id !== ids[0]) throw new Error(`${message.key} got two ids`)
      message.id = ids[0]!
    } catch (error) {
      this.#mayRefuse(error)
    }
  }

  async #beginGeneration(): Promise<void> {
    try {
      let generation = 0
      await this.#log.append(run, ({ view }) => {
        generation = view.generation + 1
        return { by: { kind: 'hub' }, notifications: [sessionStart(generation, this.#text())] }
      })
      if (generation < this.#generation) return
      this.#generation = generation
      this.#writers[2] = newWriter({ kind: 'runner', generation }, generation)
    } catch (error) {
      this.#mayRefuse(error)
    }
  }

  async #sendStale(): Promise<void> {
    if (this.#generation < 2) return
    const generation = this.#generation - 1
    try {
      await this.#append({ by: { kind: 'runner', generation } }, [this.#text()])
    } catch (error) {
      this.#mayRefuse(error, 'runner.fenced')
      return
    }
    throw new Error(`generation ${generation} wrote after it was fenced`)
  }

  #append(stamps: Omit<Batch, 'notifications'>, texts: string[]) {
    return this.#log.append(run, () => ({ ...stamps, notifications: texts.map(said) }))
  }

  async #readSome(): Promise<void> {
    const after = this.#below(this.#seen.length + 1)
    const maxBytes = this.#below(2000)
    const chunk = this.#log.recent(run, after, maxBytes) ?? (await this.#log.read(run, after, maxBytes))
    if (chunk) this.#see(chunk.bytes, after)
  }

  /** Reads the whole log and compares it with all that writers and readers were told. */
  async #checkAll(): Promise<void> {
    const { lastId, view } = await this.#log.head(run)
    for (let after = 0; after < lastId; ) {
      const chunk = await this.#log.read(run, after, this.#below(5000))
      if (!chunk || chunk.firstId !== after + 1) throw new Error(`no line after ${after} of ${lastId}`)
      after = this.#see(chunk.bytes, after)
      if (chunk.lastId !== after) throw new Error(`the chunk to ${chunk.lastId} ends at ${after}`)
    }
    if (this.#seen.length - 1 > lastId) throw new Error('a reader saw an event that is gone')
    this.stats.events = lastId
    if (view.generation < this.#generation) throw new Error('a generation is gone')
    this.#generation = view.generation
    const idOf = new Map<string, number>()
    for (let id = 1; id <= lastId; id += 1) {
      const text = String(decodeLine(this.#seen[id]!)?.notification.params?.text)
      if (idOf.has(text)) throw new Error(`${text} is stored as ${idOf.get(text)} and as ${id}`)
      idOf.set(text, id)
    }
    for (const { texts, ids } of this.#writers) {
      for (const [index, id] of ids.entries()) {
        if (id !== undefined && idOf.get(texts[index]!) !== id)
          throw new Error(`acknowledged event ${id} is lost`)
      }
    }
    for (const { text, id } of this.#keyed) {
      if (id !== undefined && idOf.get(text) !== id) throw new Error(`acknowledged message ${id} is lost`)
    }
  }

  #see(bytes: Buffer, after: number): number {
    let id = after
    for (const line of bytes.toString().split('\n').slice(0, -1)) {
      id += 1
      if (decodeLine(line)?.id !== id) throw new Error(`expected line ${id}, got ${line}`)
      if (this.#seen[id] !== undefined && this.#seen[id] !== line) throw new Error(`line ${id} changed`)
      this.#seen[id] = line
    }
    return id
  }

  #watch(work: Promise<void>): void {
    const watched = work
      .catch((error) => {
        this.#failure ??= error
      })
      .finally(() => this.#pending.delete(watched))
    this.#pending.add(watched)
  }

  #mayRefuse(error: unknown, ...codes: string[]): void {
    this.stats.refused += 1
    const allowed = ['storage.full', 'log.unavailable', 'hub.stopping', ...codes]
    if (!(error instanceof Fault) || !allowed.includes(error.code)) throw error
  }

  #trouble(what: string): DiskTrouble | null {
    if (!this.#troubled || (what !== 'write' && this.#random() < 0.7)) return null
    const afterBytes = this.#below(300)
    return this.#pick({ code: 'EIO', afterBytes }, { code: 'ENOSPC', afterBytes }, { code: 'ENOSPC' }, null)!
  }

  #text(): string {
    this.#count += 1
    return `said ${this.#count} ${'x'.repeat(this.#below(this.#random() < 0.05 ? 900 : 60))}`
  }

  #below = (limit: number) => Math.floor(this.#random() * limit)
  #pick = <Item>(...items: Item[]) => items[this.#below(items.length)]!
}

const newWriter = (by: Author, epoch: number): Writer => ({ by, epoch, texts: [], ids: [], sent: 0 })

const said = (text: string) => notification('_drill/said', { text })

const sessionStart = (generation: number, text: string) =>
  event('session_start', { sandboxId: 'none', generation, text })

function told(writer: Writer, index: number, id: number): void {
  const before = writer.ids[index]
  if (before !== undefined && before !== id)
    throw new Error(`event ${index} was told ids ${before} and ${id}`)
  writer.ids[index] = id
}
