import { jsonRpc } from '@farhand/protocol/wire/event'
import { type Fault, faultAnswer } from '@farhand/protocol/wire/faults'

type RequestId = string | number | null
type Result = Record<string, unknown>

/** The JSON-RPC requests in a body: notifications that want a response, and say under which id (W63). */
export type Requests = {
  /** Of each value of the body; undefined for a notification, which is answered with nothing. */
  ids: readonly (RequestId | undefined)[]
  isBatch: boolean
}

const isRequest = (value: unknown): value is { id: RequestId } => {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) return false
  return value.id === null || typeof value.id === 'string' || typeof value.id === 'number'
}

/** Takes the ids out of a body; null if it has none. An id that can be none is left for the checks that follow. */
export function takeRequests(
  values: readonly unknown[],
  isBatch: boolean,
): { values: unknown[]; requests: Requests | null } {
  if (!values.some(isRequest)) return { values: [...values], requests: null }
  const ids = values.map((value) => (isRequest(value) ? value.id : undefined))
  const bare = values.map((value) => {
    if (!isRequest(value)) return value
    const { id: _, ...rest } = value
    return rest
  })
  return { values: bare, requests: { ids, isBatch } }
}

/** The responses for requests that were done: each with the result of its own place. */
export function responses({ ids, isBatch }: Requests, resultOf: (index: number) => Result): unknown {
  const all = ids.flatMap((id, index) =>
    id === undefined ? [] : [{ ...jsonRpc, id, result: resultOf(index) }],
  )
  return isBatch ? all : all[0]
}

// As JSON-RPC 2.0 numbers them; what it has no number for is -32000.
const codes: Partial<Record<Fault['code'], number>> = {
  'request.malformed': -32602,
  'request.too-large': -32600,
  'method.unknown': -32601,
  'hub.failed': -32603,
}

/** The responses for requests that were refused; `data` is what everybody else is answered (W3). */
export function refusals({ ids, isBatch }: Requests, fault: Fault): unknown {
  const { error: data } = faultAnswer(fault)
  const error = { code: codes[fault.code] ?? -32_000, message: fault.message, data }
  const all = ids.flatMap((id) => (id === undefined ? [] : [{ ...jsonRpc, id, error }]))
  return isBatch ? all : all[0]
}
