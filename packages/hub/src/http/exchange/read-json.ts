import type { IncomingMessage } from 'node:http'
import { limits } from '@farhand/protocol/wire/limits'
import { bodyKind, decodeText, parseJson, readBody } from './body.ts'

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
