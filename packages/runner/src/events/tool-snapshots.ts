import { event, eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'

type Snapshot = { sessionUpdate: string } & Record<string, unknown>
type Held = { update: Snapshot; bytes: number }

const shortestMs = 15
/** Of a tool's growing input, no more than a megabyte a second is worth storing. */
const bytesPerMs = 1000
const mostHeldBytes = 16 * 1024 * 1024

/** Fields whose later value replaces the earlier one. Others (`_meta`) may not work like that. */
const replaced = new Set([
  'sessionUpdate',
  'toolCallId',
  'title',
  'kind',
  'status',
  'content',
  'locations',
  'rawInput',
  'rawOutput',
])

const isChunk = eventsNamed('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk')

/**
 * Agents report a tool's input again from the beginning with each added word. Only some of these states are sent, at
 * a limited rate: each replaces those before it (W28), and the last one is always sent before anything that depends
 * on it.
 */
export class ToolSnapshots {
  readonly #held = new Map<string, Held>()
  #bytes = 0
  #quietUntil = Number.NEGATIVE_INFINITY

  /** The events to send after this one was written, in order. */
  take(event: Notification, nowMs: number): Notification[] {
    const update = snapshotOf(event)
    if (!update) return isBeside(event) ? [event] : [...this.release(nowMs), event]
    const id = update.toolCallId as string
    const before = this.#held.get(id)
    const joined = { ...before?.update, ...update }
    const bytes = sizeOf(joined)
    this.#held.set(id, { update: joined, bytes })
    this.#bytes += bytes - (before?.bytes ?? 0)
    return nowMs >= this.#quietUntil || this.#bytes > mostHeldBytes ? this.release(nowMs) : []
  }

  /** When the held states should be sent at the latest; null if there are none. */
  get dueMs(): number | null {
    return this.#held.size > 0 ? this.#quietUntil : null
  }

  /** All held states, to be sent now. */
  release(nowMs: number): Notification[] {
    if (this.#held.size === 0) return []
    this.#quietUntil = nowMs + Math.max(shortestMs, this.#bytes / bytesPerMs)
    this.#bytes = 0
    const held = [...this.#held.values()]
    this.#held.clear()
    return held.map(({ update }) => event('session/update', { update }))
  }
}

/** The state of a running tool; null if this is something else, or more than a state. */
function snapshotOf(event: Notification): Snapshot | null {
  const { update, ...more } = (event.params ?? {}) as { update?: Snapshot | null }
  if (!isEvent(event, 'session/update') || !update || Object.keys(more).length > 0) return null
  if (update.sessionUpdate !== 'tool_call_update' || typeof update.toolCallId !== 'string') return null
  if (update.status !== undefined && update.status !== 'pending' && update.status !== 'in_progress')
    return null
  for (const name in update) if (!replaced.has(name) || update[name] === null) return null
  return update
}

/** Whether it may be told before the state of a tool that was there first: it is about no tool. */
function isBeside(event: Notification): boolean {
  if (!isEvent(event, 'session/update')) return isChunk(event)
  const { sessionUpdate } = (event.params?.update ?? {}) as { sessionUpdate?: unknown }
  return !String(sessionUpdate).startsWith('tool_call')
}

/** About how much it is when it is written down, without writing it down. */
function sizeOf(value: unknown): number {
  let size = 0
  const rest = [value]
  while (rest.length > 0) {
    const one = rest.pop()
    size += typeof one === 'string' ? one.length + 3 : 4
    if (typeof one !== 'object' || one === null) continue
    for (const key in one) {
      size += key.length
      rest.push(one[key as keyof typeof one])
    }
  }
  return size
}
