import { follow } from '../../../packages/client/src/follow/follow.ts'
import { post } from '../../../packages/client/src/post/post.ts'
import type { RunAddress } from '../../../packages/protocol/src/wire/routes.ts'
import type { Hub } from '../peers/hub.ts'
import type { TurnTimes } from './turn-times.ts'

type Turn = { started: number; firstMs: number; text: string; over: (turn: Turn) => void }

/** A client as people use them: it follows the run all the time, and sends a message now and then. */
export class Road {
  readonly #hub: Hub
  readonly #at: RunAddress
  readonly #stop = new AbortController()
  #turn: Turn | null = null
  #failed: (why: unknown) => void = () => {}

  constructor(hub: Hub, at: RunAddress) {
    this.#hub = hub
    this.#at = at
    this.#follow().catch((error) => {
      if (!this.#stop.signal.aborted) this.#failed(error)
    })
  }

  async turn(content: string): Promise<TurnTimes> {
    const { firstMs, wholeMs } = await this.read(content)
    return { firstMs, wholeMs }
  }

  /** A turn with all that was said in it. */
  async read(content: string): Promise<TurnTimes & { text: string }> {
    const over = new Promise<Turn>((resolve, reject) => {
      this.#failed = reject
      this.#turn = { started: performance.now(), firstMs: Number.NaN, text: '', over: resolve }
    })
    const message = { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } } as const
    const [{ started, firstMs, text }] = await Promise.all([over, post(this.#hub, this.#at, message)])
    return { firstMs, text, wholeMs: performance.now() - started }
  }

  close(): void {
    this.#stop.abort()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop
    for await (const { notification } of follow(this.#hub, this.#at, { signal })) {
      const turn = this.#turn
      const { method, params } = notification
      if (!turn) continue
      if (method === 'agent_message_chunk') {
        if (turn.text === '') turn.firstMs = performance.now() - turn.started
        turn.text += params?.text
      }
      if (method !== '_posthog/turn_complete') continue
      this.#turn = null
      turn.over(turn)
    }
  }
}
