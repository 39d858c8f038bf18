import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Run } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { onTestFinished } from 'vitest'
import { HubConfig } from '../config/hub-config.ts'
import { type RunningHub, startHub } from '../hub.ts'

// Tests look at few members of a body, and say by their expectations what these are.
type Body = Record<'id' | 'ids' | 'items' | 'lastEventId' | 'url', never>
type Answer = { status: number; headers: Headers; body: Body }
type Ask = { body?: unknown; raw?: string; headers?: Record<string, string>; token?: string | null }

/** A real hub on a folder of its own, gone when the test is over. */
export class HubUnderTest {
  readonly hub: RunningHub
  readonly data: string
  readonly token: string

  private constructor(hub: RunningHub, data: string, token: string) {
    this.hub = hub
    this.data = data
    this.token = token
  }

  static async start(settings: Partial<HubConfig> = {}): Promise<HubUnderTest> {
    const data = await mkdtemp(join(tmpdir(), 'farhand-hub-'))
    onTestFinished(() => rm(data, { recursive: true, force: true }))
    return HubUnderTest.on(data, settings)
  }

  /** A hub on data that another one left; the token is the one that was shown then. */
  static async on(data: string, settings: Partial<HubConfig> = {}, token = ''): Promise<HubUnderTest> {
    const hub = await startHub(HubConfig.parse({ port: 0, data, logLevel: 'silent', ...settings }))
    onTestFinished(() => hub.stop())
    return new HubUnderTest(hub, data, hub.ownerToken ?? token)
  }

  async ask(
    method: string,
    path: string,
    { body, raw, headers = {}, token = this.token }: Ask = {},
  ): Promise<Answer> {
    const answer = await fetch(new URL(path, this.hub.url), {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined && raw === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    const json = answer.headers.get('content-type')?.includes('application/json')
    return {
      status: answer.status,
      headers: answer.headers,
      body: json && text !== '' ? JSON.parse(text) : (text as never),
    }
  }

  /** A project with a task with a run for which the hub provisions no sandbox. */
  async run(asked: Record<string, unknown> = {}): Promise<RunAddress> {
    const project = (await this.ask('POST', paths.projects(), { body: { name: 'p' } })).body.id
    const task = (await this.ask('POST', paths.tasks(project), { body: { title: 't' } })).body.id
    const run = await this.ask('POST', paths.runs(project, task), { body: { sandbox: 'none', ...asked } })
    return { project, task, run: (run.body as unknown as Run).id }
  }

  post(at: RunAddress, body: unknown, more: Ask = {}): Promise<Answer> {
    return this.ask('POST', paths.sync(at), { body, ...more })
  }

  async runner(at: RunAddress): Promise<{ token: string; generation: number; previousSeq: number | null }> {
    return (await this.ask('POST', paths.runner(at), { body: {} })).body as never
  }

  /** Opens the stream and reads it as one goes. */
  async stream(at: RunAddress, query = '', headers: Record<string, string> = {}, token = this.token) {
    const url = new URL(`${paths.sync(at)}${query}`, this.hub.url)
    const gone = new AbortController()
    onTestFinished(() => gone.abort())
    const answer = await fetch(url, {
      headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, ...headers },
      signal: gone.signal,
    })
    return new ReadStream(answer, () => gone.abort())
  }
}

export type SeenEvent = { id?: number; event?: string; data?: string; comment?: string }

/** What a stream says, one block at a time. */
export class ReadStream {
  readonly answer: Response
  readonly leave: () => void
  readonly #chunks: AsyncIterator<string>
  #text = ''

  constructor(answer: Response, leave: () => void) {
    this.answer = answer
    this.leave = leave
    this.#chunks = answer.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  }

  /** The next block, or null when the hub ended the stream. */
  async next(): Promise<SeenEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        return readBlock(block)
      }
      const chunk = await this.#chunks.next()
      if (chunk.done) return null
      this.#text += chunk.value
    }
  }

  async until(wanted: (seen: SeenEvent) => boolean): Promise<SeenEvent[]> {
    const all: SeenEvent[] = []
    for (let seen = await this.next(); seen; seen = await this.next()) {
      all.push(seen)
      if (wanted(seen)) return all
    }
    throw new Error(`the stream ended first, after ${JSON.stringify(all).slice(-500)}`)
  }
}

function readBlock(block: string): SeenEvent {
  const seen: SeenEvent = {}
  for (const line of block.split('\n')) {
    if (line.startsWith(': ')) seen.comment = line.slice(2)
    if (line.startsWith('id: ')) seen.id = Number(line.slice(4))
    if (line.startsWith('event: ')) seen.event = line.slice(7)
    if (line.startsWith('data: ')) seen.data = line.slice(6)
  }
  return seen
}

export const notification = (method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  method,
  params,
})
export const message = (content: string) => notification('_posthog/user_message', { content })
export const chunk = (text: string) => notification('agent_message_chunk', { text })
