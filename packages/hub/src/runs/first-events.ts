import type { NewRun, Run } from '@farhand/protocol/api'
import type { Author, Notification } from '@farhand/protocol/event'
import type { Batch } from '../log/event-log.ts'

/** What a new run's log begins with: how it is to be run and what it is to do. */
export function firstEvents(run: Run, asked: NewRun, by: Author): Batch[] {
  const batches: Batch[] = []
  const add = (name: string, notification: Notification) =>
    batches.push({ by, notifications: [notification], key: { key: `create/${name}`, body: run.id } })
  if (asked.mode === 'background') {
    add('mode', { jsonrpc: '2.0', method: '_posthog/mode_change', params: { mode: 'background' } })
  }
  if (asked.prompt !== undefined) {
    add('prompt', { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: asked.prompt } })
  }
  return batches
}
