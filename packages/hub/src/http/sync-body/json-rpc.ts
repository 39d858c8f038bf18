import { jsonRpc } from '@farhand/protocol/wire/event'
import { type Fault, faultAnswer } from '@farhand/protocol/wire/faults'

type RequestId = string | number | null
type Result = Record<string, unknown>

/** The JSON-RPC requests in a body: messages with an id, which want a response (W63). */
export type Requests = {
  /** The id of each value of the body; undefined for a notification, which gets no response. */
  ids: readonly (RequestId | undefined)[]
  isBatch: boolean
}

const isRequest = (value: unknown): value is { id: RequestId } => {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) return false
  return value.id === null || typeof value.id === 'string' || typeof value.id === 'number'
}

/** Removes the ids from the values of a body; `requests` is null if there are none. Invalid ids are left for the later checks. */
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

/** The responses for successful requests, each with its own result. */
export function responses({ ids, isBatch }: Requests, resultOf: (index: number) => Result): unknown {
  const all = ids.flatMap((id, index) =>
    id === undefined ? [] : [{ ...jsonRpc, id, result: resultOf(index) }],
  )
  return isBatch ? all : all[0]
}

// Error codes of JSON-RPC 2.0; -32000 for all others.
const codes: Partial<Record<Fault['code'], number>> = {
  'request.malformed': -32602,
  'request.too-large': -32600,
  'method.unknown': -32601,
  'hub.failed': -32603,
}

/** The responses for refused requests; `data` is the error as other clients get it (W3). */
export function refusals({ ids, isBatch }: Requests, fault: Fault): unknown {
  const { error: data } = faultAnswer(fault)
  const error = { code: codes[fault.code] ?? -32_000, message: fault.message, data }
  const all = ids.flatMap((id) => (id === undefined ? [] : [{ ...jsonRpc, id, error }]))
  return isBatch ? all : all[0]
}
