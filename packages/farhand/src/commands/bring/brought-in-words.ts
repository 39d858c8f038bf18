import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { eventName, isEvent } from '@farhand/protocol/events/event-names'
import { UserSetups } from '@farhand/protocol/runs/user-setups'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import { firstLine } from '../../terminal/printing/shown-text.ts'

const Told = z.looseObject({ brought: z.looseObject({ left: z.array(z.string()) }) })

/** For example `3 files and the MCP server github`; empty if there is neither. */
export function countsInWords(files: number, servers: readonly string[]): string {
  const parts = [
    files > 0 && (files === 1 ? '1 file' : `${files} files`),
    servers.length > 0 && `the MCP server${servers.length > 1 ? 's' : ''} ${servers.join(', ')}`,
  ]
  return parts.filter((part) => part !== false).join(' and ')
}

/** One line about what these events brought to the agent; null if nothing. */
export function broughtInWords(events: Iterable<Pick<SeenEvent, 'notification'>>): string | null {
  const setups = new UserSetups()
  let left: string[] = []
  for (const event of events) {
    setups.take(event)
    const { method, params } = event.notification
    if (eventName(method) === 'console') left = Told.safeParse(params).data?.brought.left ?? left
  }
  if (!setups.newest) return null
  const { items, mcpServers = [] } = setups.newest
  const said = countsInWords(
    items.length,
    mcpServers.map(({ name }) => name),
  )
  const but = left.length > 0 ? `; left out there: ${left.join('; ')}` : ''
  return said === '' ? null : firstLine(`It has ${said} of yours${but}`, 500)
}

/** More events than an agent's start produces. */
const recent = 500

/** The same from the log of a run. The setup is usually near the first turn, else near the end. */
export async function broughtTo(
  hub: Hub,
  at: RunAddress,
  lastEventId: number,
  signal: AbortSignal,
): Promise<string | null> {
  const events: SeenEvent[] = []
  const read = async (after: number, isEnough: (event: SeenEvent) => boolean) => {
    for await (const event of readLog(hub, at, { signal, patienceMs, after })) {
      const { method, params } = event.notification
      if (eventName(method) === 'user_setup' || params?.brought !== undefined) events.push(event)
      if (isEnough(event)) return event.id
    }
    return lastEventId
  }
  const first = await read(0, ({ notification }) => isEvent(notification, 'turn_complete'))
  if (first < lastEventId) await read(Math.max(first, lastEventId - recent), () => false)
  return broughtInWords(events)
}
