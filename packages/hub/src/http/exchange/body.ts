import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { packType } from '@farhand/protocol/wire/pack'
import { header } from './exchange.ts'
import { brokenOff } from './faults.ts'
import { hasBearer } from './token-cookie.ts'

const stalled = (ms: number) =>
  new Fault('request.timeout', `the request body did not arrive within ${ms} ms; send it again`)

type Pending = { lateAt: number; late: () => void }
const pending = new Set<Pending>()
let watch: NodeJS.Timeout | null = null
const watchMs = 50

/** One timer for all bodies being received: a timer each would cost more than reading most of them. */
function watchFor(body: Pending): void {
  pending.add(body)
  watch ??= setInterval(() => {
    const now = performance.now()
    for (const one of pending) if (one.lateAt <= now) one.late()
    if (pending.size > 0 || watch === null) return
    clearInterval(watch)
    watch = null
  }, watchMs)
}

/** The whole body, or a fault as soon as it is known to be too large or too slow. */
export async function readBody(
  req: IncomingMessage,
  limits: { bytes: number; timeoutMs: number },
): Promise<Buffer> {
  const chunks = await readChunks(req, limits)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** As `readBody`, in the chunks that came: joining megabytes costs as much as receiving them. */
export function readChunks(
  req: IncomingMessage,
  limits: { bytes: number; timeoutMs: number },
): Promise<Buffer[]> {
  const tooLarge = () =>
    new Fault(
      'request.too-large',
      `a request may have ${limits.bytes} bytes; split it, or put large values into blobs`,
    )
  if (Number(header(req, 'content-length') ?? 0) > limits.bytes) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const body: Pending = {
      lateAt: performance.now() + limits.timeoutMs,
      late: () => fail(stalled(limits.timeoutMs)),
    }
    const fail = (fault: Fault) => {
      pending.delete(body)
      reject(fault)
    }
    const brokeOff = (cause?: Error) => fail(brokenOff(cause))
    watchFor(body)
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.bytes) fail(tooLarge())
      else chunks.push(chunk)
    })
    req.on('end', () => {
      pending.delete(body)
      resolve(chunks)
    })
    req.on('error', brokeOff)
    req.on('close', () => pending.has(body) && brokeOff())
  })
}

/** The body piece by piece; a fault when no piece comes for a while or there are more bytes than allowed. */
export async function* streamBody(
  req: IncomingMessage,
  limits: { bytes: number; timeoutMs: number },
): AsyncGenerator<Buffer> {
  // Destroying the request would also close the connection before the error answer is sent.
  const pieces = req.iterator({ destroyOnReturn: false })
  let size = 0
  try {
    for (;;) {
      const piece = await inTime<IteratorResult<Buffer>>(pieces.next(), limits.timeoutMs)
      if (piece.done) return
      size += piece.value.length
      if (size > limits.bytes) {
        throw new Fault('request.too-large', `file contents may have ${limits.bytes} bytes here`)
      }
      yield piece.value
    }
  } catch (error) {
    throw error instanceof Fault ? error : brokenOff(error as Error)
  } finally {
    pieces.return?.().catch(() => {})
  }
}

function inTime<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      pending.delete(wait)
      act()
    }
    const wait: Pending = {
      lateAt: performance.now() + timeoutMs,
      late: () => settle(() => reject(stalled(timeoutMs))),
    }
    watchFor(wait)
    promise.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    )
  })
}

/** The text of a body. Bytes that are not UTF-8 are refused, not replaced: the log must hold only what the client sent. */
export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('body', 'is not UTF-8')
  return body.toString('utf8')
}

export function parseJson(text: string, field = 'body'): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(field, `is not JSON (${(error as Error).message})`, error)
  }
}

const kinds = { 'application/json': 'json', 'application/x-ndjson': 'ndjson', [packType]: 'pack' } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** The content types that programs send by default (`curl -d`, Python's urllib). */
const unnamed: ReadonlySet<string> = new Set(['', 'text/plain', 'application/x-www-form-urlencoded'])

/**
 * The kind of the body by its content type. A page of another site can send forms and plain text with the visitor's cookie, so they
 * count as JSON only in a request with a bearer token (W63), which such a page cannot send.
 */
export function bodyKind(req: IncomingMessage): Kind {
  const said = header(req, 'content-type') ?? ''
  const type = said in kinds ? said : said.split(';')[0]!.trim().toLowerCase()
  if (Object.hasOwn(kinds, type)) return kinds[type as keyof typeof kinds]
  if (unnamed.has(type) && hasBearer(req)) return 'json'
  throw new Fault(
    'request.unsupported-type',
    `content-type: expected ${Object.keys(kinds).join(' or ')}, got "${type.slice(0, 80)}"`,
    { field: 'content-type' },
  )
}

/** The JSON value of the body; an empty object if there is no body. */
export async function readJson(
  req: IncomingMessage,
  timeoutMs: number,
  bytes: number = limits.eventBytes,
): Promise<unknown> {
  const body = await readBody(req, { bytes, timeoutMs })
  if (body.length === 0) return {}
  bodyKind(req)
  return parseJson(decodeText(body))
}
