import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { event, eventName, isEvent } from '@farhand/protocol/events/event-names'
import { AgentStart } from '@farhand/protocol/methods/agent'
import { TurnComplete } from '@farhand/protocol/methods/conversation'
import type { EventParams } from '@farhand/protocol/methods/methods'
import { AgentMemories, type Remembered } from '@farhand/protocol/runs/agent-memories'
import type { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import type { Notification } from '@farhand/protocol/wire/event'
import { randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { type NamedSecret, Redaction } from '../events/redaction.ts'
import { mayBeUnknownToAgent, type Orders } from '../orders/orders.ts'
import { type AvailableSession, availableSession } from './available-session.ts'
import { type MemoryFilter, memoryFilter } from './memory-filter.ts'
import { MemorySender } from './memory-sender.ts'
import { MemorySnapshots } from './memory-snapshots.ts'
import { type PlaceNote, readPlace, writePlace } from './place-note.ts'
import { restoreMemory } from './restore-memory.ts'

export type AgentMemoryParts = {
  /** The agent's id in the catalogue, and the path of its workspace. */
  agent: string
  cwd: string
  /** The folder with all files of the agent. */
  folder: string
  terms: MemoryTerms
  /** The folder of the runner's notes about it. */
  state: string
  generation: number
  orders: Orders
  hub: Hub
  at: RunAddress
  emit: (event: Notification) => void
  /** Whether no turn is running. */
  isIdle: () => boolean
  /** Values that must not travel. */
  secrets?: readonly NamedSecret[]
  signal: AbortSignal
  /** How long after a turn to look for files that the agent wrote late. */
  laterMs?: number
}

const tooLarge =
  'The memory of the agent is too large to be saved with the run. If its sandbox is lost, the agent is briefed from the log.'

const hasSecret =
  'The memory of the agent contains a secret that cannot be removed, so it is not saved with the run. If its sandbox is lost, the agent is briefed from the log.'

/** Saves the agent's own files, its memory, to the log after each turn, and restores them in a new sandbox (W38). */
export class AgentMemory {
  readonly #parts: AgentMemoryParts
  readonly #filter: MemoryFilter
  readonly #memories = new AgentMemories()
  readonly #snapshots: MemorySnapshots
  readonly #sender: MemorySender
  readonly #placeFile: string
  #here: Promise<AvailableSession> | null = null
  #note: PlaceNote | null = null
  /** The end of the last turn that the saved files certainly include. */
  #upTo: number | null = null
  #later: NodeJS.Timeout | undefined
  #taking: Promise<unknown> = Promise.resolve()
  #hasTold = false

  constructor(parts: AgentMemoryParts) {
    this.#parts = parts
    this.#filter = memoryFilter(parts.terms)
    const redaction = new Redaction(parts.secrets ?? [])
    this.#snapshots = new MemorySnapshots(parts.folder, this.#filter, (bytes) => redaction.bytes(bytes))
    this.#placeFile = join(parts.state, 'agent-place.json')
    const { agent, cwd, hub, at, signal } = parts
    this.#sender = new MemorySender({
      hub,
      at,
      say: (memory) => this.#emit('agent_memory', { agent, ...memory, place: this.#note!.place, cwd }),
      failed: () => this.#snapshots.forget(),
      signal,
    })
  }

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    const { rewoundAt } = this.#memories
    this.#memories.take(event)
    // After a rewind, the files here may remember too much.
    if (this.#memories.rewoundAt !== rewoundAt) this.#here = this.#upTo = null
    const { method, params } = event.notification
    const name = eventName(method)
    if (event.by.kind !== 'runner') return
    if (name === 'agent_start') this.#started(params)
    const end = name === 'turn_complete' ? TurnComplete.safeParse(params).data : undefined
    if (end && !mayBeUnknownToAgent(end.stopReason)) this.#upTo = event.id
  }

  /** Takes an event that this runner writes itself and does not read back (W17). */
  takeOwn(said: Notification): void {
    if (isEvent(said, 'agent_start')) this.#started(said.params)
  }

  #started(params: unknown): void {
    const start = AgentStart.safeParse(params).data
    // A new session has nothing saved before the end of its first turn.
    if (start?.how === 'new' || start?.how === 'briefed') this.#upTo = null
  }

  /** Which session an agent that starts now can resume; first restores the files for it. */
  here(): Promise<AvailableSession> {
    this.#here ??= this.#findHere().catch((error: unknown) => {
      this.#here = null
      throw error
    })
    return this.#here
  }

  /** The agent was briefed about what it did not remember. */
  told(): void {
    // Unless a rewind came meanwhile: then the next agent must find out anew.
    if (this.#here) this.#here = Promise.resolve({ is: 'own' })
    if (this.#note?.untold) this.#noteDown({ ...this.#note, untold: null })
  }

  /** Called after a turn. Resolves when the agent may go on, which is before its files are in the log. */
  async turnOver(): Promise<void> {
    const { signal, isIdle, terms, laterMs = 1500 } = this.#parts
    // An agent that writes late may not have saved the turn yet: a snapshot taken now would claim a turn that it
    // lacks.
    if (!terms.writesLate) await this.#take()
    if (signal.aborted) return
    clearTimeout(this.#later)
    // Some agents write their last files only after they have ended the turn.
    this.#later = setTimeout(() => void this.#take(isIdle), laterMs).unref()
  }

  /** Resolves when the agent's memory is saved. */
  async saved(): Promise<void> {
    clearTimeout(this.#later)
    await this.#take()
    await this.#sender.idle()
  }

  async #findHere(): Promise<AvailableSession> {
    const { agent, orders, generation, folder } = this.#parts
    const { rewoundAt } = this.#memories
    const note = readPlace(this.#placeFile)
    const isRewound = note !== null && note.rewoundAt !== rewoundAt
    const memory = (isRewound ? await this.#readAgain() : this.#memories).newest(agent)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = availableSession({ note, memory, session: orders.session, generation, rewoundAt })
    const isNew = found.is === 'to-restore'
    const here = isNew ? await this.#restored(memory!) : found
    this.#noteDown({
      place: note?.place ?? randomName(),
      generation,
      restored: isNew ? memory!.id : (note?.restored ?? 0),
      rewoundAt,
      untold: here.is === 'as-of' ? { sessionId: here.sessionId, since: here.since } : null,
    })
    if (here.is === 'as-of') this.#upTo = here.since
    return here
  }

  /** Reads the log again, to include memories that this runner wrote and did not read back (W17). */
  async #readAgain(): Promise<AgentMemories> {
    const { hub, at, signal } = this.#parts
    const memories = new AgentMemories()
    for await (const event of readLog(hub, at, { signal })) memories.take(event)
    return memories
  }

  /** A memory that cannot be restored is no reason to stop: the agent is briefed from the log. */
  async #restored({ files, sessionId, upTo, cwd }: Remembered): Promise<AvailableSession> {
    const { signal, terms } = this.#parts
    try {
      const isElsewhere = cwd !== null && cwd !== this.#parts.cwd && !terms.anywhere
      if (isElsewhere) throw new Error('it is of a workspace in another place')
      await restoreMemory(files, { ...this.#parts, filter: this.#filter })
      return { is: 'as-of', sessionId, since: upTo }
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      this.#tell(
        `The agent's memory could not be restored: ${why}. The agent is briefed from the log instead.`,
      )
      return { is: 'gone' }
    }
  }

  #noteDown(note: PlaceNote): void {
    this.#note = note
    writePlace(this.#placeFile, note)
  }

  /** One snapshot after the other; an error must not end anything else. */
  #take(isStill = () => true): Promise<void> {
    const taking = this.#taking.then(() => this.#takeNow(isStill)).catch(() => this.#snapshots.forget())
    this.#taking = taking
    return taking
  }

  async #takeNow(isStill: () => boolean): Promise<void> {
    const { orders, agent, signal } = this.#parts
    const { session } = orders
    const upTo = this.#upTo
    // No agent has worked here yet, or it has saved nothing that can be relied on.
    if (!this.#note || session?.agent !== agent || upTo === null || !isStill()) return
    const snapshot = await this.#snapshots.take(signal)
    // A snapshot from the middle of a turn might be inconsistent.
    if (!isStill()) return this.#snapshots.forget()
    const why = snapshot.is === 'too-large' ? tooLarge : snapshot.is === 'secret' ? hasSecret : null
    if (why !== null && !this.#hasTold) {
      this.#hasTold = true
      this.#tell(why)
    }
    if (snapshot.is === 'taken' && snapshot.list.files.length > 0)
      this.#sender.add(snapshot.list, snapshot.contents, { sessionId: session.sessionId, upTo })
  }

  #tell(message: string): void {
    this.#emit('console', { level: 'warn', message })
  }

  #emit<Name extends 'agent_memory' | 'console'>(name: Name, params: EventParams<Name>): void {
    this.#parts.emit(event(name, params))
  }
}
