import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { tellingFetch } from '../connection/fetch-with-progress.ts'
import type { AttachOptions, Deed, DeedEnd, Unsent } from './actions.ts'
import { type Known, stillMeant } from './decide-action.ts'
import type { DeedBox, KeptDeed } from './outbox.ts'
import { type Sending, sendDeeds } from './send-actions.ts'

/** Lets one page at a time do something that others of this browser may want to do too. */
export type Alone = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>

export type RunDeedsOptions = {
  hub: Hub
  run: RunId
  /** Where the run lives; null as long as that is not known: then nothing is sent, and all is kept. */
  at: () => RunAddress | null
  box: DeedBox
  alone: Alone
  wake: (ring: () => void) => () => void
  known: () => Known
  changed: () => void
  /** The hub has one more. */
  sent: () => void
  signal: AbortSignal
}

/** To stop something must not wait behind a long message. */
const lanes = ['urgent', 'orderly'] as const
type Lane = (typeof lanes)[number]
const laneOf = ({ deed }: KeptDeed): Lane =>
  deed.do === 'cancel' || deed.do === 'stop-shell' ? 'urgent' : 'orderly'

const tooLate = 'The agent had begun with that message.'

/** On its way or there: shown until it is seen in the log. */
type Sent = { deed: KeptDeed; eventId: number }

/** What a person did to one run and the log does not show yet. */
export class RunDeeds {
  readonly #options: RunDeedsOptions
  #kept: readonly KeptDeed[] = []
  readonly #sending = new Set<string>()
  readonly #sent = new Map<string, Sent>()
  /** Those of which this page alone knows how they stand: the browser has not kept it yet, or would not. */
  readonly #loose = new Set<string>()
  /** Those that are done with, also if the browser would not forget them. */
  readonly #gone = new Set<string>()
  readonly #rings = new Set<() => void>()
  /** Those for which this page waits until no other one sends. */
  readonly #queued = new Set<Lane>()
  readonly #inDoubt = new Set<Lane>()
  /** Who wants to know what becomes of a deed. */
  readonly #ends = new Map<string, (end: DeedEnd) => void>()
  #writing: Promise<void> = Promise.resolve()
  #unsent: readonly Unsent[] | null = null

  constructor(options: RunDeedsOptions) {
    this.#options = options
  }

  /** Finds what an earlier page left here. It is sent with the next look. */
  async begin(): Promise<void> {
    await this.#writing
    await this.#find()
  }

  /** Whether anything is left to send. */
  get hasToSend(): boolean {
    return this.#kept.some(({ refused }) => refused === null)
  }

  /** Whether something waits until it is known how the run stands. */
  get isInDoubt(): boolean {
    return this.#inDoubt.size > 0
  }

  get unsent(): readonly Unsent[] {
    this.#unsent ??= [...[...this.#sent.values()].map(({ deed }) => deed), ...this.#kept].map((kept) => ({
      key: kept.key,
      at: kept.writtenAt,
      deed: kept.deed,
      state: this.#stateOf(kept),
      why: kept.refused,
    }))
    return this.#unsent
  }

  act(deed: Deed, ended?: (end: DeedEnd) => void): void {
    const { run, known } = this.#options
    const kept: KeptDeed = {
      key: randomName(),
      at: { run },
      writtenAt: new Date().toISOString(),
      deed,
      turns: known().view.openTurns.map(({ messageId }) => messageId),
      refused: null,
    }
    if (ended) this.#ends.set(kept.key, ended)
    this.#set([...this.#kept, kept])
    this.#put(kept)
    this.#send(laneOf(kept))
  }

  drop(key: string): void {
    this.#gone.add(key)
    this.#set(this.#kept.filter((kept) => kept.key !== key))
    this.#write((box) => box.remove(key))
  }

  again(key: string): void {
    const kept = this.#kept.find((one) => one.key === key)
    if (!kept) return
    this.#change({ ...kept, refused: null, agreedAt: new Date(Date.now()).toISOString() })
    this.#send(laneOf(kept))
  }

  async attach(file: File, { signal, onProgress }: AttachOptions): Promise<Attachment> {
    const { hub } = this.#options
    const at = this.#options.at()
    if (!at) throw new Error('The hub cannot be reached.')
    onProgress(0)
    const hash = await hashOf(new Uint8Array(await file.arrayBuffer()))
    signal.throwIfAborted()
    const telling = { ...hub, fetch: tellingFetch(onProgress, hub.fetch) }
    const source = { hash, size: file.size, open: () => file }
    const { refused } = await uploadBlobs(telling, at, [source], { signal })
    if (refused[0]) throw refused[0].why
    onProgress(1)
    const mimeType = file.type === '' ? {} : { mimeType: file.type.slice(0, 255) }
    return { hash, name: file.name.slice(0, 255) || 'file', size: file.size, ...mimeType }
  }

  /** What is in the log is no longer on its way, also if its answer got lost. */
  seen({ id, key, producer }: SeenEvent): void {
    for (const name of [key?.key, producer?.id]) {
      if (name === undefined) continue
      if (this.#kept.some((kept) => kept.key === name)) this.drop(name)
      this.#ended(name, { is: 'sent', eventId: id })
    }
    for (const [name, { eventId }] of this.#sent) {
      if (eventId <= id && this.#sent.delete(name)) this.#told()
    }
  }

  /** How the run stands is known better now: what waited for that may be sent, and what a page left that is gone. */
  look(): void {
    for (const lane of lanes) this.#send(lane)
  }

  #stateOf(kept: KeptDeed): Unsent['state'] {
    if (kept.refused !== null) return 'refused'
    if (this.#isUnderWay(kept.key)) return 'sending'
    return stillMeant(kept, this.#options.known(), Date.now()) === 'ask' ? 'stale' : 'waiting'
  }

  #isUnderWay = (key: string) => this.#sending.has(key) || this.#sent.has(key)

  #send(lane: Lane): void {
    const { alone, run, signal } = this.#options
    for (const ring of [...this.#rings]) ring()
    // Who has its turn later sees then what is there now.
    if (this.#queued.has(lane)) return
    this.#queued.add(lane)
    // Whoever comes after another page finds nothing left to do, or what was written meanwhile.
    void alone(`farhand send ${lane} ${run}`, signal, () => {
      this.#queued.delete(lane)
      return this.#sendLane(lane)
    }).catch(() => this.#queued.delete(lane))
  }

  async #sendLane(lane: Lane): Promise<void> {
    const { hub, signal, wake } = this.#options
    await this.#writing
    await sendDeeds(hub, this.#steps(lane), {
      signal,
      wake: (ring) => {
        const ended = wake(ring)
        this.#rings.add(ring)
        return () => {
          this.#rings.delete(ring)
          ended()
        }
      },
    })
  }

  #steps(lane: Lane): Sending {
    return {
      next: async () => {
        await this.#writing
        await this.#find()
        const at = this.#options.at()
        // Whoever holds a connection for the sake of a doubt lets go of it.
        if (this.#inDoubt.delete(lane)) this.#told()
        for (const kept of this.#kept) {
          if (laneOf(kept) !== lane) continue
          const fate = stillMeant(kept, this.#options.known(), Date.now())
          if (fate === 'drop') this.#forgo(kept.key)
          else if (kept.refused !== null) continue
          else if (fate === 'late') this.#change({ ...kept, refused: tooLate })
          else if (fate === 'ask') continue
          // What was written after it is fresh, and need not wait until the log is read.
          else if (fate === 'ask-later') this.#doubt(lane)
          else if (fate === 'send') return at === null ? 'wait' : { kept, at }
          else {
            this.#doubt(lane)
            return 'wait'
          }
        }
        return null
      },
      began: ({ key }) => {
        this.#sending.add(key)
        this.#told()
      },
      waits: ({ key }) => {
        this.#sending.delete(key)
        this.#told()
      },
      sent: async (kept, eventId) => {
        this.#sending.delete(kept.key)
        if (eventId !== null && eventId > this.#seenUpTo) this.#sent.set(kept.key, { deed: kept, eventId })
        this.drop(kept.key)
        this.#ended(kept.key, { is: 'sent', eventId })
        await this.#writing
        this.#options.sent()
      },
      refused: async (kept, why) => {
        this.#sending.delete(kept.key)
        this.#change({ ...kept, refused: why })
        this.#ended(kept.key, { is: 'refused', why })
        await this.#writing
      },
      needless: async ({ key }) => {
        this.#sending.delete(key)
        this.#forgo(key)
        await this.#writing
      },
    }
  }

  /** What another page wrote goes along; what it has sent meanwhile is gone. */
  async #find(): Promise<void> {
    const { box, run } = this.#options
    // A phone takes the database away from a page that was in the background: what this page knows is still to be sent.
    const found = await box.list(run).catch(() => null)
    if (!found) return
    const isOurs = ({ key }: KeptDeed) => this.#loose.has(key)
    const others = found.filter((kept) => !isOurs(kept) && !this.#gone.has(kept.key))
    this.#set([...others, ...this.#kept.filter(isOurs)])
  }

  #doubt(lane: Lane): void {
    this.#inDoubt.add(lane)
    this.#told()
  }

  #forgo(key: string): void {
    this.drop(key)
    this.#ended(key, { is: 'needless' })
  }

  #ended(key: string, end: DeedEnd): void {
    const ended = this.#ends.get(key)
    this.#ends.delete(key)
    ended?.(end)
  }

  get #seenUpTo(): number {
    return this.#options.known().lastId
  }

  #change(kept: KeptDeed): void {
    this.#set(this.#kept.map((one) => (one.key === kept.key ? kept : one)))
    this.#put(kept)
  }

  #put(kept: KeptDeed): void {
    this.#loose.add(kept.key)
    // What cannot be kept is sent all the same, as long as this page lives.
    this.#write((box) => box.put(kept).then(() => void this.#loose.delete(kept.key)))
  }

  #write(write: (box: DeedBox) => Promise<void>): void {
    this.#writing = this.#writing.then(() => write(this.#options.box)).catch(() => {})
  }

  #set(kept: readonly KeptDeed[]): void {
    this.#kept = kept
    this.#told()
  }

  #told(): void {
    this.#unsent = null
    this.#options.changed()
  }
}
