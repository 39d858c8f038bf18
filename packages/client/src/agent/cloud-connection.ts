import { backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import { event } from '@farhand/protocol/events/event-names'
import { type TurnPlace, turnPlace } from '@farhand/protocol/runs/turn-place'
import { RunMode } from '@farhand/protocol/schemas/api'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type FollowOptions, follow } from '../follow/follow.ts'
import { post } from '../post/post.ts'
import type { Hub } from '../requests/hub.ts'
import { defaultBackoff, withRetries } from '../requests/retry.ts'
import { runStatus } from '../resources/resources.ts'
import type { AcpMessage, AgentConnection } from './agent-connection.ts'

export type CloudConnectionOptions = Pick<
  FollowOptions,
  'signal' | 'onState' | 'silenceMs' | 'backoff' | 'online'
> & {
  /** Called with what a handler threw, and when `onEvent` cannot go on: the run is gone, or the token no longer valid. */
  onFault: (error: unknown) => void
}

/** The agent of one run, reached through its hub. A lost connection neither stops the agent nor loses any of its events. */
export class CloudConnection implements AgentConnection {
  readonly #hub: Hub
  readonly #at: RunAddress
  readonly #options: CloudConnectionOptions
  readonly #handlers = new Set<(event: AcpMessage) => void>()
  #listening: AbortController | null = null
  /** The last event before those that the handlers get. */
  #cursor: Promise<number> | null = null

  constructor(hub: Hub, at: RunAddress, options: CloudConnectionOptions) {
    this.#hub = hub
    this.#at = at
    this.#options = options
  }

  /**
   * The events from the ack of this message to its `turn_complete`. Nothing is sent before the caller asks for the first.
   * After Unconfirmed, prompt again with the key in that error: with another key the message could run twice.
   */
  async *prompt(params: {
    sessionId: string
    prompt: string
    key?: string
  }): AsyncGenerator<AcpMessage, void, undefined> {
    const { lastEventId: messageId } = await this.#post(
      params,
      // Without `when` the hub might take it for the answer to an open question (W62): then it would have no turn.
      event('user_message', { content: params.prompt, when: 'queue' }),
    )
    let place: TurnPlace = 'before'
    for await (const { notification } of this.#follow({ after: messageId })) {
      place = turnPlace(place, notification, messageId)
      if (place === 'withdrawn') return
      if (place !== 'before') yield notification
      if (place === 'over') return
    }
    throw new Fault('run.closed', 'the run was closed before the turn was complete')
  }

  async cancel(params: { sessionId: string }): Promise<void> {
    await this.#post(params, event('cancel', {}))
  }

  async setMode(params: { sessionId: string; mode: string }): Promise<void> {
    const { mode } = params
    const runMode = RunMode.safeParse(mode).data
    await this.#post(
      params,
      runMode ? event('mode_change', { mode: runMode }) : event('session/set_mode', { modeId: mode }),
    )
  }

  onEvent(handler: (event: AcpMessage) => void): () => void {
    // A new function each time: a handler that is added twice has two subscriptions, and each can be ended.
    const subscription = (event: AcpMessage) => handler(event)
    this.#handlers.add(subscription)
    if (!this.#listening) this.#listen()
    return () => {
      this.#handlers.delete(subscription)
      if (this.#handlers.size > 0) return
      this.#listening?.abort()
      this.#listening = this.#cursor = null
    }
  }

  #listen(): void {
    const controller = new AbortController()
    this.#listening = controller
    const stop = () => controller.abort()
    const { signal, onFault } = this.#options
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    this.#pass(controller.signal)
      .catch((error) => {
        if (!controller.signal.aborted) onFault(error)
      })
      .finally(() => {
        signal?.removeEventListener('abort', stop)
        if (this.#listening === controller) this.#listening = this.#cursor = null
      })
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { backoff = defaultBackoff, onFault } = this.#options
    const patient = { signal, backoff, patienceMs: Number.POSITIVE_INFINITY }
    const lookUp = () => {
      this.#cursor = this.#lastEventId(signal)
      return this.#cursor
    }
    let cursor = await withRetries(lookUp, patient)
    for (let ends = 1; ; ends++) {
      for await (const { id, notification } of this.#follow({ after: cursor, signal })) {
        for (const handle of this.#handlers) {
          try {
            handle(notification)
          } catch (error) {
            // A handler that throws must not keep the event from the others.
            onFault(error)
          }
        }
        cursor = id
        ends = 0
      }
      // The run is closed. A user may open it again; only asking the hub again shows it.
      await sleep(backoffMs(ends, backoff), { signal })
    }
  }

  async #lastEventId(signal: AbortSignal): Promise<number> {
    const { backoff = defaultBackoff } = this.#options
    try {
      return (await runStatus(this.#hub, this.#at, { signal, backoff })).lastEventId
    } catch (error) {
      // The last handler is gone; a message that waits for this cursor may be sent.
      if (signal.aborted) return 0
      throw error
    }
  }

  #follow(where: FollowOptions) {
    const { onFault: _, ...options } = this.#options
    return follow(this.#hub, this.#at, { ...options, ...where })
  }

  async #post({ sessionId, key }: { sessionId: string; key?: string }, event: Notification) {
    if (sessionId !== this.#at.run) {
      throw new Fault('session.mismatch', `this connection is for ${this.#at.run}, not for ${sessionId}`)
    }
    // Sent earlier, its turn could be over before the handlers get events.
    await this.#cursor
    const { signal, backoff } = this.#options
    return post(this.#hub, this.#at, event, { signal, ...(backoff && { backoff }), ...(key && { key }) })
  }
}
