import { event } from '@farhand/protocol/events/event-names'
import type { NewRun, Run, RunMode } from '@farhand/protocol/schemas/api'
import type { Author, Notification } from '@farhand/protocol/wire/event'
import type { Batch } from '../log/event-log.ts'

/** The first events of a new run, or the first own events of a fork: its mode and its prompt. */
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
  if (mode !== before) add('mode', event('mode_change', { mode }))
  if (asked.prompt !== undefined) {
    add('prompt', event('user_message', { content: asked.prompt }))
  }
  return batches
}
