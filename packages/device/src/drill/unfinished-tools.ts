import type { Notification } from '@farhand/protocol/wire/event'

const ended = new Set<unknown>(['completed', 'failed'])

/** The ids of tool calls without an end. A tool that ran when its sandbox died must be reported as failed. */
export function unfinishedTools(events: readonly Pick<Notification, 'method' | 'params'>[]): string[] {
  const open = new Set<string>()
  for (const { method, params } of events) {
    if (method.startsWith('_')) continue
    const said = (method === 'session/update' ? params?.update : params) as
      | Record<string, unknown>
      | undefined
    const id = said?.toolCallId
    if (typeof id !== 'string') continue
    if (method === 'tool_result' || ended.has(said?.status)) open.delete(id)
    else open.add(id)
  }
  return [...open]
}
