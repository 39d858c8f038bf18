import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { isEvent } from '@farhand/protocol/events/event-names'
import { StatusChange } from '@farhand/protocol/methods/session'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { patienceMs } from './patience-ms.ts'

/** The newest reason in the log why the run failed. */
export async function whyFailed({ hub, at }: { hub: Hub; at: RunAddress }, signal: AbortSignal) {
  let why: string | undefined
  for await (const { notification } of readLog(hub, at, { signal, patienceMs })) {
    if (!isEvent(notification, 'status')) continue
    const change = StatusChange.safeParse(notification.params).data
    if (change?.status === 'failed') why = change.reason
  }
  return why
}
