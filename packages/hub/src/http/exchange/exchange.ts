import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeIssue } from '@farhand/protocol/text/describe-issue'
import { malformed } from '@farhand/protocol/wire/faults'
import type { Right } from '@farhand/protocol/wire/project-role'
import type { z } from 'zod'
import type { Principal } from '../../access/principal.ts'

/** One request and its response. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  params: Readonly<Record<string, string | undefined>>
  query: URLSearchParams
  /** The authenticated caller; null only on routes that need no token. */
  who: Principal | null
  /** What a user must be allowed in the project of the request (W110). */
  needs: Right
  /** Marks the caller as authenticated by something other than a token, such as a signed URL. */
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

/** The caller of a route that is for users only. */
export function userOf(who: Principal | null): Extract<Principal, { kind: 'user' }> {
  if (who?.kind !== 'user') throw new Error('the route let in a caller that is not a user')
  return who
}

/** The parsed value, or a fault that names the first invalid field. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, where = ''): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = [where, ...(issue?.path ?? []).map(String)].filter(Boolean).join('.') || 'body'
  throw malformed(field, issue ? describeIssue(issue) : 'is not valid')
}

/** A whole number, or undefined when the parameter or header is absent. */
export function wholeNumber(text: string | null | undefined, field: string): number | undefined {
  if (text === null || text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw malformed(field, `expected a whole number, got "${text.slice(0, 40)}"`)
  return Number(text)
}

/** The value of a header; the first one if it was sent several times. */
export function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}
