import type { IncomingMessage } from 'node:http'
import { Fault } from '@farhand/protocol/faults'
import { header } from './exchange.ts'

const stalled = (ms: number) =>
  new Fault('request.timeout', `the request body did not arrive within ${ms} ms; send it again`)

/** The whole body, or a fault as soon as it is known to be too large or too slow. */
export function readBody(
  req: IncomingMessage,
  limits: { bytes: number; timeoutMs: number },
): Promise<Buffer> {
  const tooLarge = () =>
    new Fault(
      'request.too-large',
      `a request may have ${limits.bytes} bytes; split it, or put large values into blobs`,
    )
  if (Number(header(req, 'content-length') ?? 0) > limits.bytes) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (act: () => void) => {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      act()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.bytes) return settle(() => reject(tooLarge()))
      chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)))
    const onError = (error: Error) =>
      settle(() => reject(new Fault('request.malformed', 'the body broke off', { cause: error })))
    const onClose = () => settle(() => reject(new Fault('request.malformed', 'the body broke off')))
    const timer = setTimeout(() => settle(() => reject(stalled(limits.timeoutMs))), limits.timeoutMs)
    req.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

/** The body piece by piece; a fault when no piece comes for a while or there are more bytes than allowed. */
export async function* streamBody(
  req: IncomingMessage,
  limits: { bytes: number; timeoutMs: number },
): AsyncGenerator<Buffer> {
  let size = 0
  let late: Fault | undefined
  const giveUp = () => {
    late = stalled(limits.timeoutMs)
    req.destroy(late)
  }
  let timer = setTimeout(giveUp, limits.timeoutMs)
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      size += chunk.length
      if (size > limits.bytes) {
        throw new Fault('request.too-large', `file contents may have ${limits.bytes} bytes here`)
      }
      yield chunk
      timer = setTimeout(giveUp, limits.timeoutMs)
    }
  } catch (error) {
    throw late ?? error
  } finally {
    clearTimeout(timer)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body; bytes that are not UTF-8 are refused, not replaced, or the log would hold what nobody sent. */
export function decodeText(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch (error) {
    throw new Fault('request.malformed', 'body: is not UTF-8', { field: 'body', cause: error })
  }
}

export function parseJson(text: string, field = 'body'): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Fault('request.malformed', `${field}: is not JSON (${(error as Error).message})`, {
      field,
      cause: error,
    })
  }
}

/** `application/json` or `application/x-ndjson`; forms and plain text are what a foreign page could send unasked. */
export function bodyKind(req: IncomingMessage): 'json' | 'ndjson' {
  const type = (header(req, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'application/json') return 'json'
  if (type === 'application/x-ndjson') return 'ndjson'
  throw new Fault(
    'request.unsupported-type',
    `content-type: expected application/json or application/x-ndjson, got "${type.slice(0, 80)}"`,
    { field: 'content-type' },
  )
}
