import { createHash } from 'node:crypto'
import { EventStream, type Message } from './event-stream.ts'

type Options = { runUrl: string; runId: string; token: string }

/** The agent server of document 001, plus a token: it emits events of the methods that are listed there, and of its own old kind. */
export class SecondSandbox {
  readonly #options: Options
  #stream: EventStream | null = null
  #seq = 0

  constructor(options: Options) {
    this.#options = options
  }

  get #headers() {
    return { 'Session-Id': this.#options.runId, Authorization: `Bearer ${this.#options.token}` }
  }

  async start(): Promise<void> {
    const answer = await fetch(`${this.#options.runUrl}/sync?envelope=stored`, {
      headers: { ...this.#headers, Accept: 'text/event-stream' },
    })
    if (answer.status !== 200) throw new Error(`GET /sync: ${answer.status} ${await answer.text()}`)
    this.#stream = new EventStream(answer)
  }

  stop(): void {
    this.#stream?.close()
    this.#stream = null
  }

  async next(method: string): Promise<Message> {
    for (;;) {
      const event = await this.#stream?.next()
      if (!event) throw new Error('the stream of commands ended')
      const { notification } = JSON.parse(event.data) as { notification: Message }
      if (notification.method === method) return notification
    }
  }

  async fileChanged(path: string, content: string): Promise<void> {
    const hash = `sha256_${createHash('sha256').update(content).digest('hex')}`
    const put = await fetch(`${this.#options.runUrl}/files/${hash}`, {
      method: 'PUT',
      headers: this.#headers,
      body: content,
    })
    if (!put.ok) throw new Error(`PUT files/${hash}: ${put.status} ${await put.text()}`)
    await this.emit('_posthog/file_change', { path, hash, action: 'modified' })
  }

  emit(method: string, params: Record<string, unknown> = {}): Promise<void> {
    return this.#post({ jsonrpc: '2.0', method, params })
  }

  /** As `emitEvent` of the server mode has it: no JSON-RPC, with a number and a time of its own. */
  emitEvent(event: Record<string, unknown>): Promise<void> {
    return this.#post({ ...event, seq: this.#seq++, timestamp: new Date().toISOString() })
  }

  async #post(body: unknown): Promise<void> {
    const answer = await fetch(`${this.#options.runUrl}/sync`, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(body),
    })
    if (answer.status !== 202) throw new Error(`POST /sync: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}
