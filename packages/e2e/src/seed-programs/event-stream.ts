/** A JSON-RPC 2.0 notification, as the documents write it. */
export type Message = { jsonrpc: string; method: string; params?: Record<string, unknown> }

type ServerSentEvent = { id: string | null; data: string }

/** The messages of a server-sent event stream, as browsers read it: events with a name of their own are not for us. */
export class EventStream {
  readonly #body: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(answer: Response) {
    if (!answer.body) throw new Error('a stream without a body')
    this.#body = answer.body.getReader()
  }

  /** The next message; null when the server has ended the stream. */
  async next(): Promise<ServerSentEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        const event = readBlock(block)
        if (event) return event
        continue
      }
      const { done, value } = await this.#body.read()
      if (done) return null
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  close(): void {
    this.#body.cancel().catch(() => {})
  }
}

function readBlock(block: string): ServerSentEvent | null {
  let id: string | null = null
  let type = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') id = value
    if (field === 'event') type = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 && type === 'message' ? { id, data: data.join('\n') } : null
}
