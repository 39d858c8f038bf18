import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EventStream, type Message } from './event-stream.ts'

/**
 * The program in the sandbox as document 000 describes it, plus a token: an outbound stream for commands, contents by hash,
 * events by POST. It knows nothing of ours: no `was`, no batches, no generations, no ends of turns.
 */
export class FirstSandbox {
  readonly commands: Message[] = []
  readonly #runUrl: string
  readonly #runId: string
  readonly #token: string
  readonly #folder: string
  #stream: EventStream | null = null

  constructor(options: { runUrl: string; runId: string; token: string; folder: string }) {
    this.#runUrl = options.runUrl
    this.#runId = options.runId
    this.#token = options.token
    this.#folder = options.folder
  }

  async start(): Promise<void> {
    const answer = await fetch(`${this.#runUrl}/sync`, {
      headers: {
        Accept: 'text/event-stream',
        'Session-Id': this.#runId,
        Authorization: `Bearer ${this.#token}`,
      },
    })
    if (answer.status !== 200) throw new Error(`GET /sync: ${answer.status} ${await answer.text()}`)
    this.#stream = new EventStream(answer)
  }

  stop(): void {
    this.#stream?.close()
    this.#stream = null
  }

  /** The next command of a user: everything else on the stream is passed over. */
  async nextCommand(): Promise<Message> {
    const commands = ['user_message', 'user_response', 'file_sync', 'cancel', 'close', 'mode_change']
    for (;;) {
      const event = await this.#stream?.next()
      if (!event) throw new Error('the stream of commands ended')
      const message = JSON.parse(event.data) as Message
      if (!commands.some((name) => message.method === `_posthog/${name}`)) continue
      this.commands.push(message)
      if (message.method === '_posthog/file_sync') await this.#overwrite(message.params ?? {})
      return message
    }
  }

  async #overwrite({ path, hash, action }: Record<string, unknown>): Promise<void> {
    const local = join(this.#folder, String(path))
    if (action === 'deleted') return rm(local, { force: true })
    const answer = await fetch(`${this.#runUrl}/files/${hash}`, {
      headers: { Authorization: `Bearer ${this.#token}` },
    })
    if (answer.status !== 200) throw new Error(`GET files/${hash}: ${answer.status}`)
    await mkdir(dirname(local), { recursive: true })
    await writeFile(local, Buffer.from(await answer.arrayBuffer()))
  }

  /** The agent writes a file; its watcher uploads the content and emits the event. */
  async writes(path: string, content: string, action?: 'created' | 'modified'): Promise<void> {
    const local = join(this.#folder, path)
    await mkdir(dirname(local), { recursive: true })
    await writeFile(local, content)
    const hash = `sha256_${createHash('sha256')
      .update(await readFile(local))
      .digest('hex')}`
    const put = await fetch(`${this.#runUrl}/files/${hash}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${this.#token}` },
      body: content,
    })
    if (!put.ok) throw new Error(`PUT files/${hash}: ${put.status} ${await put.text()}`)
    await this.emit('_posthog/file_change', { path, hash, ...(action && { action }) })
  }

  async deletes(path: string): Promise<void> {
    await rm(join(this.#folder, path), { force: true })
    await this.emit('_posthog/file_change', { path, action: 'deleted' })
  }

  async emit(method: string, params: Record<string, unknown> = {}): Promise<void> {
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
}

/** What 000 says about recovery: the newest commit, and the files that were changed after it. */
export async function recover(
  options: { runUrl: string; runId: string; token: string; folder: string },
  lastEventId: number,
): Promise<{ commit: string | null }> {
  const headers = { Authorization: `Bearer ${options.token}` }
  const answer = await fetch(`${options.runUrl}/sync`, {
    headers: { ...headers, Accept: 'text/event-stream', 'Session-Id': options.runId },
  })
  const stream = new EventStream(answer)
  const events: Message[] = []
  for (let id = 0; id < lastEventId; ) {
    const event = await stream.next()
    if (!event) throw new Error('the log ended early')
    events.push(JSON.parse(event.data) as Message)
    if (event.id !== null) id = Number(event.id)
  }
  stream.close()
  const at = events.findLastIndex(({ method }) => method === '_posthog/git_commit')
  const files = new Map<string, string>()
  for (const { method, params = {} } of events.slice(at + 1)) {
    if (method !== '_posthog/file_change') continue
    if (params.action === 'deleted') files.delete(String(params.path))
    else files.set(String(params.path), String(params.hash))
  }
  for (const [path, hash] of files) {
    const content = await fetch(`${options.runUrl}/files/${hash}`, { headers })
    if (content.status !== 200) throw new Error(`GET files/${hash}: ${content.status}`)
    await mkdir(dirname(join(options.folder, path)), { recursive: true })
    await writeFile(join(options.folder, path), Buffer.from(await content.arrayBuffer()))
  }
  return { commit: at < 0 ? null : String(events[at]!.params?.sha) }
}
