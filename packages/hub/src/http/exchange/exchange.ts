import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeIssue } from '@farhand/protocol/text/describe-issue'
import { Fault } from '@farhand/protocol/wire/faults'
import type { z } from 'zod'
import type { Principal } from '../../access/principal.ts'

/** One request and the answer to it. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  params: Readonly<Record<string, string | undefined>>
  query: URLSearchParams
  /** Null only on routes that are open to anyone. */
  who: Principal | null
  /** Whoever asks has shown that they may, in another way than by a token. */
  trust: () => void
}

export type Handler = (exchange: Exchange) => Promise<void> | void

export function answerJson(res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  res.end(body)
}

/** The value as the schema has it, or a fault that names the first field that is wrong. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, where = ''): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = [where, ...(issue?.path ?? []).map(String)].filter(Boolean).join('.') || 'body'
  throw new Fault('request.malformed', `${field}: ${issue ? describeIssue(issue) : 'is not valid'}`, { field })
}

/** A whole number in the query, or undefined when it is not there. */
export function wholeNumber(text: string | null | undefined, field: string): number | undefined {
  if (text === null || text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) {
    throw new Fault('request.malformed', `${field}: expected a whole number, got "${text.slice(0, 40)}"`, {
      field,
    })
  }
  return Number(text)
}

/** A header that may be sent once. */
export function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}
