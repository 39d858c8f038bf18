import { type Notification, notification } from '../wire/event.ts'
import { isObject } from '../wire/is-object.ts'

/** A `session/update` of ACP as an agent sent it: agents know more kinds and fields than this code. */
export type AcpUpdate = { sessionUpdate: string } & Readonly<Record<string, unknown>>

type Params = Record<string, unknown>

const chunks = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'])
// Fields that a runner adds to the params of an agent's event.
const ours = ['joined', 'blobs', 'whole']

/**
 * The event that stores an update of the agent. `updateOf` turns it back, with every field that it had. An update that
 * could be confused with another event is stored unchanged in a `session/update`.
 */
export function eventOf(update: AcpUpdate): Notification {
  const { sessionUpdate: kind, ...said } = update
  if (!ours.some((name) => Object.hasOwn(said, name))) {
    if (chunks.has(kind)) {
      const params = chunkParams(said)
      if (params) return notification(kind, params)
    } else if (isTool(said)) {
      if (kind === 'tool_call') return notification(kind, said)
      if (kind === 'tool_call_update' && isOver(said.status)) return notification('tool_result', said)
    }
  }
  return notification('session/update', { update })
}

/** The update of the agent that this event stores; null if it stores none. */
export function updateOf({ method, params = {} }: Notification): AcpUpdate | null {
  if (method === 'session/update') return isUpdate(params.update) ? params.update : null
  const { joined: _, blobs: __, whole: ___, ...said } = params
  if (method === 'tool_call') return { ...said, sessionUpdate: method }
  if (method === 'tool_result') return { ...said, sessionUpdate: 'tool_call_update' }
  if (!chunks.has(method)) return null
  const { text, content = { type: 'text', text }, ...rest } = said
  return { ...rest, content, sessionUpdate: method }
}

const isUpdate = (value: unknown): value is AcpUpdate =>
  isObject(value) && typeof value.sessionUpdate === 'string'

const isTextOrNone = (value: unknown) => value === undefined || value === null || typeof value === 'string'

const isTool = ({ toolCallId, status }: Params) =>
  typeof toolCallId === 'string' && toolCallId !== '' && isTextOrNone(status)

const isOver = (status: unknown) => status === 'completed' || status === 'failed'

/** Plain text is stored once, as `text`; other content is stored as it is, and `text` is what people can read of it. */
function chunkParams({ content, ...rest }: Params): Params | null {
  if (!isObject(content) || typeof content.type !== 'string') return null
  if (Object.hasOwn(rest, 'text') || !isTextOrNone(rest.messageId)) return null
  const isText = content.type === 'text' && typeof content.text === 'string'
  if (isText && Object.keys(content).length === 2) return { text: content.text, ...rest }
  return { text: isText ? content.text : '', content, ...rest }
}
