import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EventStream, type Message } from './event-stream.ts'

/**
 * A client as an engineer would write it who has read document 000 and nothing else, plus a token: Node and `fetch`, none of
 * our libraries. Do not teach it anything of ours; what it trips over is a fault of the hub.
 */
export class FirstClient {
  readonly messages: string[] = []
  readonly questions: Record<string, unknown>[] = []
  readonly seen: { id: string | null; message: Message }[] = []
  lastEventId: string | null = null
  readonly #runUrl: string
  readonly #runId: string
  readonly #token: string
  readonly #folder: string
  readonly #localHashes = new Map<string, string>()
  #stream: EventStream | null = null

  constructor(options: { runUrl: string; runId: string; token: string; folder: string }) {
    this.#runUrl = options.runUrl
    this.#runId = options.runId
    this.#token = options.token
    this.#folder = options.folder
  }

  /** GET /sync: follows the run until `disconnect`. */
  async connect(): Promise<void> {
    const answer = await fetch(`${this.#runUrl}/sync`, {
      headers: {
        Accept: 'text/event-stream',
        'Session-Id': this.#runId,
        Authorization: `Bearer ${this.#token}`,
        ...(this.lastEventId !== null && { 'Last-Event-ID': this.lastEventId }),
      },
    })
    if (answer.status !== 200) throw new Error(`GET /sync: ${answer.status} ${await answer.text()}`)
    this.#stream = new EventStream(answer)
  }

  disconnect(): void {
    this.#stream?.close()
    this.#stream = null
  }

  /** Handles events until one of them is what the caller waits for. */
  async until(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const event = await this.#stream?.next()
      if (!event) throw new Error(`the stream ended; seen: ${JSON.stringify(this.seen).slice(-800)}`)
      const message = JSON.parse(event.data) as Message
      await this.#handle(message)
      if (event.id !== null) this.lastEventId = event.id
      this.seen.push({ id: event.id, message })
      if (wanted(message)) return message
    }
  }

  async #handle({ method, params = {} }: Message): Promise<void> {
    if (method === 'agent_message_chunk') this.messages.push(String(params.text))
    if (method === '_posthog/agent_question') this.questions.push(params)
    if (method === '_posthog/file_change') await this.#takeFile(params)
  }

  async #takeFile({ path, hash, action }: Record<string, unknown>): Promise<void> {
    const local = join(this.#folder, String(path))
    if (action === 'deleted') {
      await rm(local, { force: true })
      this.#localHashes.delete(String(path))
      return
    }
    if (this.#localHashes.get(String(path)) === hash) return
    const answer = await fetch(`${this.#runUrl}/files/${hash}`, {
      headers: { Authorization: `Bearer ${this.#token}` },
    })
    if (answer.status !== 200) throw new Error(`GET files/${hash}: ${answer.status} ${await answer.text()}`)
    await mkdir(dirname(local), { recursive: true })
    await writeFile(local, Buffer.from(await answer.arrayBuffer()))
    this.#localHashes.set(String(path), String(hash))
  }

  /** What its file watcher would call when the user saved a file. */
  async savedLocally(path: string): Promise<void> {
    const content = await readFile(join(this.#folder, path))
    const hash = `sha256_${createHash('sha256').update(content).digest('hex')}`
    if (this.#localHashes.get(path) === hash) return
    const put = await fetch(`${this.#runUrl}/files/${hash}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${this.#token}` },
      body: content,
    })
    if (!put.ok) throw new Error(`PUT files/${hash}: ${put.status} ${await put.text()}`)
    await this.send('_posthog/file_sync', { path, hash, action: 'modified' })
    this.#localHashes.set(path, hash)
  }

  /** POST /sync: answered with 202 and nothing else that this client looks at. */
  async send(method: string, params: Record<string, unknown> = {}): Promise<void> {
    const answer = await fetch(`${this.#runUrl}/sync`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Session-Id': this.#runId,
        Authorization: `Bearer ${this.#token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', method, params }),
    })
    if (answer.status !== 202) throw new Error(`POST /sync: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }

  prompt(text: string): Promise<void> {
    return this.send('_posthog/user_message', { content: text })
  }

  cancel(): Promise<void> {
    return this.send('_posthog/cancel')
  }
}
