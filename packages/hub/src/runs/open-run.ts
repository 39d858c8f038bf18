import type { RunId } from '@farhand/protocol/ids'
import type { EventLog } from '../log/event-log.ts'

/** Opens a run that was closed, or is about to be; an open one stays as it is (W12). */
export async function openRun(log: EventLog, run: RunId): Promise<void> {
  await log.append(run, (head) => {
    const { status, closing } = head.view
    if (status !== 'closed' && !closing) return { by: { kind: 'hub' }, notifications: [] }
    const params = { status: 'queued', reason: 'opened again' }
    return { by: { kind: 'hub' }, notifications: [{ jsonrpc: '2.0', method: '_posthog/status', params }] }
  })
}
