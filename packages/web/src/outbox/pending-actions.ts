import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { fetchWithProgress } from '../connection/fetch-with-progress.ts'
import type { ActionOutcome, AttachOptions, RunAction, UnsentAction } from './actions.ts'
import { decideAction, type KnownState } from './decide-action.ts'
import type { Outbox, PendingAction } from './outbox.ts'
import { type Sending, sendActions } from './send-actions.ts'

/** Lets one page of this browser at a time do the work of this name. */
export type TabLock = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>

export type PendingActionsOptions = {
  hub: Hub
  run: RunId
  /** The address of the run; null until known: then actions are stored and not sent. */
  at: () => RunAddress | null
  outbox: Outbox
  tabLock: TabLock
  wake: (listener: () => void) => () => void
  known: () => KnownState
  changed: () => void
  /** The hub has confirmed an action. */
  sent: () => void
  signal: AbortSignal
}

/** A stop must not wait behind a long message. */
const lanes = ['urgent', 'orderly'] as const
type Lane = (typeof lanes)[number]
const laneOf = ({ action }: PendingAction): Lane =>
  action.do === 'cancel' || action.do === 'stop-shell' ? 'urgent' : 'orderly'

const tooLate = 'The agent had already started with that message.'

/** Sent, and shown until the log shows it. */
type Sent = { action: PendingAction; eventId: number }

/** The user's actions on one run that its log does not show yet. */
export class PendingActions {
  readonly #options: PendingActionsOptions
  #pending: readonly PendingAction[] = []
  readonly #sending = new Set<string>()
  readonly #sent = new Map<string, Sent>()
  /** Actions whose newest state is only on this page: storing them is not done, or has failed. */
  readonly #unstored = new Set<string>()
  /** Finished actions, also if removing them from storage has failed. */
  readonly #done = new Set<string>()
  readonly #listeners = new Set<() => void>()
  /** Lanes in which this page waits for its turn to send. */
  readonly #queued = new Set<Lane>()
  readonly #waitingForState = new Set<Lane>()
  /** Callbacks that get the outcome of an action. */
  readonly #outcomeListeners = new Map<string, (end: ActionOutcome) => void>()
  #writing: Promise<void> = Promise.resolve()
  #unsent: readonly UnsentAction[] | null = null

  constructor(options: PendingActionsOptions) {
    this.#options = options
  }

  /** Loads the actions that earlier pages stored. They are sent with the next `sendPending`. */
  async begin(): Promise<void> {
    await this.#writing
    await this.#loadStored()
  }

  get hasUnsent(): boolean {
    return this.#pending.some(({ refused }) => refused === null)
  }

  /** Whether an action waits until the state of the run is up to date. */
  get needsRunState(): boolean {
    return this.#waitingForState.size > 0
  }

  get unsent(): readonly UnsentAction[] {
    this.#unsent ??= [...[...this.#sent.values()].map(({ action }) => action), ...this.#pending].map(
      (pending) => ({
        key: pending.key,
        at: pending.writtenAt,
        action: pending.action,
        state: this.#stateOf(pending),
        why: pending.refused,
      }),
    )
    return this.#unsent
  }

  act(action: RunAction, ended?: (end: ActionOutcome) => void): void {
    const { run, known } = this.#options
    const pending: PendingAction = {
      key: randomName(),
      at: { run },
      writtenAt: new Date().toISOString(),
      action,
      turns: known().view.openTurns.map(({ messageId }) => messageId),
      refused: null,
    }
    if (ended) this.#outcomeListeners.set(pending.key, ended)
    this.#set([...this.#pending, pending])
    this.#put(pending)
    this.#send(laneOf(pending))
  }

  drop(key: string): void {
    this.#done.add(key)
    this.#set(this.#pending.filter((pending) => pending.key !== key))
    this.#write((outbox) => outbox.remove(key))
  }

  resend(key: string): void {
    const pending = this.#pending.find((one) => one.key === key)
    if (!pending) return
    this.#change({ ...pending, refused: null, agreedAt: new Date(Date.now()).toISOString() })
    this.#send(laneOf(pending))
  }

  async attach(file: File, { signal, onProgress }: AttachOptions): Promise<Attachment> {
    const { hub } = this.#options
    const at = this.#options.at()
    if (!at) throw new Error('The hub cannot be reached.')
    onProgress(0)
    const hash = await hashOf(new Uint8Array(await file.arrayBuffer()))
    signal.throwIfAborted()
    const hubWithProgress = { ...hub, fetch: fetchWithProgress(onProgress, hub.fetch) }
    const source = { hash, size: file.size, open: () => file }
    const { refused } = await uploadBlobs(hubWithProgress, at, [source], { signal })
    if (refused[0]) throw refused[0].why
    onProgress(1)
    const mimeType = file.type === '' ? {} : { mimeType: file.type.slice(0, 255) }
    return { hash, name: file.name.slice(0, 255) || 'file', size: file.size, ...mimeType }
  }

  /** An action in the log is done, also if the response to it was lost. */
  takeEvent({ id, key, producer }: SeenEvent): void {
    for (const name of [key?.key, producer?.id]) {
      if (name === undefined) continue
      if (this.#pending.some((pending) => pending.key === name)) this.drop(name)
      this.#finish(name, { is: 'sent', eventId: id })
    }
    for (const [name, { eventId }] of this.#sent) {
      if (eventId <= id && this.#sent.delete(name)) this.#changed()
    }
  }

  /** The state of the run is known better now: sends what waited for that, and what closed pages left. */
  sendPending(): void {
    for (const lane of lanes) this.#send(lane)
  }

  #stateOf(pending: PendingAction): UnsentAction['state'] {
    if (pending.refused !== null) return 'refused'
    if (this.#isUnderWay(pending.key)) return 'sending'
    return decideAction(pending, this.#options.known(), Date.now()) === 'ask' ? 'stale' : 'waiting'
  }

  #isUnderWay = (key: string) => this.#sending.has(key) || this.#sent.has(key)

  #send(lane: Lane): void {
    const { tabLock, run, signal } = this.#options
    for (const listener of [...this.#listeners]) listener()
    // The waiting call will also see the new action.
    if (this.#queued.has(lane)) return
    this.#queued.add(lane)
    // After another page has sent, there is nothing left, or only newer actions.
    void tabLock(`farhand send ${lane} ${run}`, signal, () => {
      this.#queued.delete(lane)
      return this.#sendLane(lane)
    }).catch(() => this.#queued.delete(lane))
  }

  async #sendLane(lane: Lane): Promise<void> {
    const { hub, signal, wake } = this.#options
    await this.#writing
    await sendActions(hub, this.#steps(lane), {
      signal,
      wake: (listener) => {
        const ended = wake(listener)
        this.#listeners.add(listener)
        return () => {
          this.#listeners.delete(listener)
          ended()
        }
      },
    })
  }

  #steps(lane: Lane): Sending {
    return {
      next: async () => {
        await this.#writing
        await this.#loadStored()
        const at = this.#options.at()
        // Let go of the connection that was kept only for this question.
        if (this.#waitingForState.delete(lane)) this.#changed()
        for (const pending of this.#pending) {
          if (laneOf(pending) !== lane) continue
          const fate = decideAction(pending, this.#options.known(), Date.now())
          if (fate === 'drop') this.#dropNeedless(pending.key)
          else if (pending.refused !== null) continue
          else if (fate === 'late') this.#change({ ...pending, refused: tooLate })
          else if (fate === 'ask') continue
          // Newer actions need not wait until the log is read.
          else if (fate === 'ask-later') this.#waitForState(lane)
          else if (fate === 'send') return at === null ? 'wait' : { pending, at }
          else {
            this.#waitForState(lane)
            return 'wait'
          }
        }
        return null
      },
      began: ({ key }) => {
        this.#sending.add(key)
        this.#changed()
      },
      waits: ({ key }) => {
        this.#sending.delete(key)
        this.#changed()
      },
      sent: async (pending, eventId) => {
        this.#sending.delete(pending.key)
        if (eventId !== null && eventId > this.#seenUpTo)
          this.#sent.set(pending.key, { action: pending, eventId })
        this.drop(pending.key)
        this.#finish(pending.key, { is: 'sent', eventId })
        await this.#writing
        this.#options.sent()
      },
      refused: async (pending, why) => {
        this.#sending.delete(pending.key)
        this.#change({ ...pending, refused: why })
        this.#finish(pending.key, { is: 'refused', why })
        await this.#writing
      },
      needless: async ({ key }) => {
        this.#sending.delete(key)
        this.#dropNeedless(key)
        await this.#writing
      },
    }
  }

  /** Merges the actions in storage: other pages may have added some or sent some. */
  async #loadStored(): Promise<void> {
    const { outbox, run } = this.#options
    // A phone closes the database of a hidden page: go on with what this page knows.
    const found = await outbox.list(run).catch(() => null)
    if (!found) return
    const isOurs = ({ key }: PendingAction) => this.#unstored.has(key)
    const others = found.filter((pending) => !isOurs(pending) && !this.#done.has(pending.key))
    this.#set([...others, ...this.#pending.filter(isOurs)])
  }

  #waitForState(lane: Lane): void {
    this.#waitingForState.add(lane)
    this.#changed()
  }

  #dropNeedless(key: string): void {
    this.drop(key)
    this.#finish(key, { is: 'needless' })
  }

  #finish(key: string, end: ActionOutcome): void {
    const ended = this.#outcomeListeners.get(key)
    this.#outcomeListeners.delete(key)
    ended?.(end)
  }

  get #seenUpTo(): number {
    return this.#options.known().lastId
  }

  #change(pending: PendingAction): void {
    this.#set(this.#pending.map((one) => (one.key === pending.key ? pending : one)))
    this.#put(pending)
  }

  #put(pending: PendingAction): void {
    this.#unstored.add(pending.key)
    // If storing fails, this page still sends the action while it is open.
    this.#write((outbox) => outbox.put(pending).then(() => void this.#unstored.delete(pending.key)))
  }

  #write(write: (outbox: Outbox) => Promise<void>): void {
    this.#writing = this.#writing.then(() => write(this.#options.outbox)).catch(() => {})
  }

  #set(pending: readonly PendingAction[]): void {
    this.#pending = pending
    this.#changed()
  }

  #changed(): void {
    this.#unsent = null
    this.#options.changed()
  }
}
