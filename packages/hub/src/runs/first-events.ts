import type { NewRun, Run, RunMode } from '@farhand/protocol/api'
import type { Author, Notification } from '@farhand/protocol/event'
import type { Batch } from '../log/event-log.ts'

/** What a new run's log begins with, or goes on with if it is a fork: how it is to be run and what it is to do. */
export function firstEvents(
  run: Pick<Run, 'id'>,
  asked: NewRun,
  by: Author,
  before: RunMode = 'interactive',
): Batch[] {
  const batches: Batch[] = []
  const add = (name: string, notification: Notification) =>
    batches.push({ by, notifications: [notification], key: { key: `create/${name}`, body: run.id } })
  const { mode = before } = asked
  if (mode !== before) add('mode', { jsonrpc: '2.0', method: '_posthog/mode_change', params: { mode } })
  if (asked.prompt !== undefined) {
    add('prompt', { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: asked.prompt } })
  }
  return batches
}
