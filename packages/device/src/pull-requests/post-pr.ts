import { createHash } from 'node:crypto'
import { post } from '@farhand/client/post/post'
import { event } from '@farhand/protocol/events/event-names'
import { patienceMs } from '../requests/patience-ms.ts'
import type { RunToFinish } from './run-to-finish.ts'

/** Says in the log of the run that its branch was pushed, and where its pull request is. A repeated call posts the same event. */
export async function postPr(
  { hub, at, device }: RunToFinish,
  params: { prUrl: string; branch: string; opened: boolean },
  signal: AbortSignal,
): Promise<void> {
  const sum = createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 32)
  await post({ ...hub, deviceId: device }, at, event('pr_created', params), {
    key: `pr/${sum}`,
    patienceMs,
    signal,
  })
}
