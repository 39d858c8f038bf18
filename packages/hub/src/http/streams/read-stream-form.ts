import { malformed } from '@farhand/protocol/wire/faults'
import type { FrameChoice } from './frames.ts'

/** The format of a stream that the reader asks for in the query (W17, W60). */
export function readStreamForm(query: URLSearchParams): Omit<FrameChoice, 'chunked'> {
  return {
    envelope: oneOf(query, 'envelope', 'stored') ?? 'bare',
    to: oneOf(query, 'to', 'agent') ?? 'everyone',
    files: oneOf(query, 'files', 'together') ?? 'apart',
  }
}

/** A query parameter that has one allowed value or is absent. */
export function oneOf<Value extends string>(
  query: URLSearchParams,
  name: string,
  value: Value,
): Value | null {
  const given = query.get(name)
  if (given === null || given === value) return given as Value | null
  throw malformed(name, `only "${value}" is known`)
}

/** No `Accept` header, or one for any type, allows a stream: `fetch` and `curl` send no more than that (W63). */
export const takesStream = (accept: string | undefined) =>
  !accept?.trim() || /(^|[\s,])(text\/event-stream|text\/\*|\*\/\*)\s*($|[,;])/i.test(accept)
