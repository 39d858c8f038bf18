import type { Readable, Writable } from 'node:stream'
import { jsonRpc } from '@farhand/protocol/wire/event'
import { AgentRefused } from './agent.ts'
import { type Line, LineReader } from './line-reader.ts'

export type Answer = { result: unknown } | { error: { code: number; message: string } }

export const methodNotFound = -32601
const tooLarge = -32600
const mostBytes = 64 * 1024 * 1024
const mostUnknown = 4096

export type RequestId = string | number

/** Called with each message of the other side, before the next line is read. */
export type JsonRpcHandlers = {
  notified(method: string, params: unknown, line: string): void
  /** To be answered with `answer`, now or later. */
  requested(id: RequestId, method: string, params: unknown, line: string): void
  /** A line that is not JSON-RPC, or an answer to no request. Some programs print greetings. */
  unknown(line: string): void
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void }

/**
 * One side of JSON-RPC 2.0 with one frame per line. Messages are handled strictly in order, answers included: the
 * code that awaited an answer goes on before the next line is read.
 */
export class JsonRpcLines {
  readonly #input: Readable
  readonly #output: Writable
  readonly #handlers: JsonRpcHandlers
  readonly #lines: LineReader
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #isHeld = false
  /** A request was answered, and the code that awaited it has not gone on yet. */
  #isSettling = false
  #isReading = false
  #isClosed = false
  #isOver = false
  #allHeard = () => {}
  #gone: Error | null = null
  /** Resolves when the other side has closed and everything it said was handled. */
  readonly drained: Promise<void>

  constructor(input: Readable, output: Writable, handlers: JsonRpcHandlers, most = mostBytes) {
    this.#input = input
    this.#output = output
    this.#handlers = handlers
    this.#lines = new LineReader(most)
    this.drained = new Promise((resolve) => {
      this.#allHeard = resolve
    })
    // If the other process stops reading, its own output ends too; a broken pipe adds nothing.
    output.on('error', () => {})
    input.on('error', () => {})
    input.on('data', (chunk: Buffer) => {
      this.#lines.push(chunk)
      this.#read()
    })
    input.on('close', () => {
      this.#isClosed = true
      this.#read()
    })
  }

  /** Rejects with AgentRefused for an error answer, and with the error given to `close` if no answer comes. */
  request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.#gone) return reject(this.#gone)
      this.#waiting.set(id, { resolve, reject })
      this.#send({ ...jsonRpc, id, method, params })
    })
  }

  notify(method: string, params: unknown): void {
    this.#send({ ...jsonRpc, method, params })
  }

  answer(id: RequestId, answer: Answer): void {
    this.#send({ ...jsonRpc, id, ...answer })
  }

  /** Stops reading: the other side waits for room in its pipe. */
  pauseReading(): void {
    this.#isHeld = true
    this.#input.pause()
  }

  resumeReading(): void {
    this.#isHeld = false
    this.#read()
  }

  /** Rejects all open and later requests with this error. */
  close(error: Error): void {
    this.#gone = error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #send(frame: object): void {
    if (this.#output.writable) this.#output.write(`${JSON.stringify(frame)}\n`)
  }

  #read(): void {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (!this.#isHeld && !this.#isSettling) {
        const line = this.#lines.next()
        if (line === null) break
        this.#take(line)
      }
    } finally {
      this.#isReading = false
    }
    if (this.#isHeld || this.#isSettling) this.#input.pause()
    else if (this.#isClosed) this.#finish()
    else if (this.#input.isPaused()) this.#input.resume()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    // The last line may lack its newline.
    const rest = this.#lines.rest()
    if (rest) this.#take(rest)
    this.#allHeard()
  }

  #take(line: Line): void {
    if ('text' in line) this.#takeText(line.text)
    else this.#takeTooLong(line)
  }

  #takeText(text: string): void {
    const frame = parsed(text)
    const { id, method } = frame
    if (typeof method === 'string') {
      if (isId(id)) this.#handlers.requested(id, method, frame.params, text)
      else this.#handlers.notified(method, frame.params, text)
    } else if (typeof id === 'number' && this.#waiting.has(id)) {
      if ('error' in frame && frame.error != null)
        this.#settle(id, ({ reject }) => reject(refusal(frame.error)))
      else this.#settle(id, ({ resolve }) => resolve(frame.result))
    } else this.#unknown(text)
  }

  #takeTooLong({ head, tail, bytes }: { head: string; tail: string; bytes: number }): void {
    const { id, method } = outlineOf(head, tail)
    const error = { code: tooLarge, message: `a line of ${bytes} bytes is more than is read` }
    if (method === undefined && typeof id === 'number')
      this.#settle(id, ({ reject }) => reject(refusal(error)))
    else if (method !== undefined && id !== undefined) this.answer(id, { error })
    this.#unknown(head)
  }

  #settle(id: number, act: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    this.#isSettling = true
    act(waiting)
    // By then the code that awaited the answer has gone on.
    setImmediate(() => {
      this.#isSettling = false
      this.#read()
    })
  }

  #unknown(text: string): void {
    if (text.trim() !== '') this.#handlers.unknown(text.slice(0, mostUnknown))
  }
}

type Frame = { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown }

const isId = (id: unknown): id is RequestId => typeof id === 'number' || typeof id === 'string'

const noFrame: Frame = {}

function parsed(text: string): Frame {
  try {
    return (JSON.parse(text) as Frame | null) ?? noFrame
  } catch {
    return noFrame
  }
}

function refusal(error: unknown): AgentRefused {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Frame & {
    code?: unknown
    message?: unknown
    data?: unknown
  }
  return new AgentRefused(
    typeof message === 'string' ? message : JSON.stringify(error),
    typeof code === 'number' ? code : -32603,
    data,
  )
}

const member = String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)`
const leading = new RegExp(String.raw`^\s*\{\s*((?:${member}\s*,\s*)*)`)
const trailing = new RegExp(String.raw`((?:,\s*${member}\s*)*)\}\s*$`)

/** Reads id and method of a frame from its two ends: large values lie in between. */
function outlineOf(head: string, tail: string): { id?: RequestId; method?: string } {
  const members = [leading.exec(head)?.[1] ?? '', trailing.exec(tail)?.[1] ?? '']
    .map((text) => text.trim().replace(/^,|,$/g, ''))
    .filter((text) => text !== '')
  const { id, method } = parsed(`{${members.join(',')}}`)
  return { ...(isId(id) && { id }), ...(typeof method === 'string' && { method }) }
}
