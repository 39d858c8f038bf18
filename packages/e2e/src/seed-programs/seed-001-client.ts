import { createHash } from 'node:crypto'
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EventStream, type Message } from './event-stream.ts'

export class SessionExpiredError extends Error {}

type Stored = { type: string; timestamp: string; notification: Message }
type Options = { runUrl: string; runId: string; token: string; folder: string }

/**
 * The sync service of document 001, plus a token and `?envelope=stored`. As printed there it sends JSON without naming its type,
 * calls contents by the bare hash and has no id of a question but the one it was told.
 */
export class SecondClient {
  readonly seen: Message[] = []
  readonly messages: string[] = []
  pendingQuestion: Record<string, unknown> | null = null
  lastEventId: string | null = null
  readonly #options: Options
  readonly #localHashes = new Map<string, string>()
  #stream: EventStream | null = null

  constructor(options: Options) {
    this.#options = options
  }

  get #api(): string {
    return this.#options.runUrl
  }

  get #headers() {
    return { 'Session-Id': this.#options.runId, Authorization: `Bearer ${this.#options.token}` }
  }

  async connect(accept = 'text/event-stream'): Promise<void> {
    const { lastEventId } = this
    const response = await fetch(`${this.#api}/sync?envelope=stored`, {
      method: 'GET',
      headers: {
        ...this.#headers,
        Accept: accept,
        ...(lastEventId && { 'Last-Event-ID': lastEventId }),
      },
    })
    if (response.status === 404) throw new SessionExpiredError(await response.text())
    if (response.status !== 200) throw new Error(`GET /sync: ${response.status} ${await response.text()}`)
    this.#stream = new EventStream(response)
  }

  disconnect(): void {
    this.#stream?.close()
    this.#stream = null
  }

  async until(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const event = await this.#stream?.next()
      if (!event) throw new Error(`the stream ended; seen: ${JSON.stringify(this.seen).slice(-800)}`)
      const stored = JSON.parse(event.data) as Stored
      if (stored.type !== 'notification' || Number.isNaN(Date.parse(stored.timestamp)))
        throw new Error(`no stored notification: ${event.data}`)
      await this.#handle(stored.notification)
      if (event.id !== null) this.lastEventId = event.id
      this.seen.push(stored.notification)
      if (wanted(stored.notification)) return stored.notification
    }
  }

  async #handle({ method, params = {} }: Message): Promise<void> {
    switch (method) {
      case '_posthog/file_change':
        return this.#handleFileChange(params)
      case '_posthog/agent_question':
        this.pendingQuestion = params
        return
      case 'agent_message_chunk':
        this.messages.push(String(params.text))
    }
  }

  async #handleFileChange({ path, hash, action }: Record<string, unknown>): Promise<void> {
    const localPath = join(this.#options.folder, String(path))
    if (action === 'deleted') {
      await unlink(localPath)
      this.#localHashes.delete(String(path))
      return
    }
    if (this.#localHashes.get(String(path)) === hash) return
    const { url } = (await (await this.get(`file-url?hash=${hash}`)).json()) as { url: string }
    const content = await fetch(url)
    if (content.status !== 200) throw new Error(`GET ${url}: ${content.status}`)
    await mkdir(dirname(localPath), { recursive: true })
    await writeFile(localPath, Buffer.from(await content.arrayBuffer()))
    this.#localHashes.set(String(path), String(hash))
  }

  async handleLocalChange(relativePath: string): Promise<void> {
    const content = await readFile(join(this.#options.folder, relativePath))
    const hash = createHash('sha256').update(content).digest('hex')
    if (this.#localHashes.get(relativePath) === hash) return
    const put = await fetch(`${this.#api}/files/${hash}`, {
      method: 'PUT',
      headers: this.#headers,
      body: content,
    })
    if (!put.ok) throw new Error(`PUT files/${hash}: ${put.status} ${await put.text()}`)
    await this.sendEvent('_posthog/file_sync', { path: relativePath, hash, action: 'modified' })
    this.#localHashes.set(relativePath, hash)
  }

  async sendEvent(method: string, params: Record<string, unknown> = {}): Promise<void> {
    const answer = await this.post({ jsonrpc: '2.0', method, params })
    if (answer.status !== 202) throw new Error(`POST /sync: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }

  /** As printed: a body of JSON, and no word on its type. */
  post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#api}/sync`, {
      method: 'POST',
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify(body),
    })
  }

  /** A message whose answer is the stream of what becomes of it. */
  async *converse(content: string): AsyncGenerator<Message> {
    const answer = await fetch(`${this.#api}/sync?envelope=stored`, {
      method: 'POST',
      headers: {
        ...this.#headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: '_posthog/user_message', params: { content } }),
    })
    if (answer.status !== 200) throw new Error(`POST /sync: ${answer.status} ${await answer.text()}`)
    const stream = new EventStream(answer)
    for (let event = await stream.next(); event; event = await stream.next())
      yield (JSON.parse(event.data) as Stored).notification
  }

  /** Sends without a session, as before there was one. */
  init(): Promise<Response> {
    return fetch(`${this.#api}/sync`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#options.token}` },
      body: JSON.stringify({ jsonrpc: '2.0', method: '_posthog/session_init' }),
    })
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.#api}/sync/${path}`, { headers: this.#headers })
  }

  close(): Promise<Response> {
    return fetch(`${this.#api}/sync`, { method: 'DELETE', headers: this.#headers })
  }
}
