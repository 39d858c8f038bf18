import { hash } from 'node:crypto'
import { RunView } from '@farhand/protocol/runs/run-view'
import { type Author, notification, type StoredEvent } from '@farhand/protocol/wire/event'
import { wireName } from '@farhand/protocol/wire/wire-names'
import { z } from 'zod'
import { emptyLogState, type LogState, remember } from './log-state.ts'

const hub: Author = { kind: 'hub' }
const web: Author = { kind: 'web', id: 'usr_story' }
const device: Author = { kind: 'device', id: 'dev_story' }
const runner: Author = { kind: 'runner', generation: 1 }
const questionId = 'qst_storystory'

const story: [Author, string, Record<string, unknown>][] = [
  [hub, wireName('status'), { status: 'provisioning' }],
  [hub, wireName('session_start'), { generation: 1, sandboxId: 'box' }],
  [web, wireName('user_message'), { content: 'first' }],
  [web, wireName('user_message'), { content: 'second' }],
  [web, wireName('message_edit'), { messageId: 4, content: null }],
  [runner, wireName('ack'), { for: 'user_message', id: 3 }],
  [runner, 'agent_message_chunk', { text: 'text' }],
  [runner, wireName('agent_question'), { questionId, question: 'which?', options: ['a', 'b'], timeout: 5 }],
  [web, wireName('user_response'), { questionId, answer: 'a' }],
  [runner, wireName('question_closed'), { questionId, how: 'answered' }],
  [runner, wireName('git_commit'), { sha: 'abcdef', branch: 'main' }],
  [runner, wireName('turn_complete'), { messageId: 3, stopReason: 'end_turn' }],
  [web, wireName('mode_change'), { mode: 'background', policy: { allow: 'all' } }],
  [web, wireName('shell'), { id: 'sh', command: 'ls' }],
  [runner, wireName('sandbox_output'), { id: 'sh', stdout: '' }],
  [runner, wireName('sandbox_output'), { id: 'sh', exitCode: 0 }],
  [web, wireName('file_request'), { path: 'a.txt' }],
  [runner, wireName('file_content'), { path: 'a.txt', content: '' }],
  [hub, wireName('rest_request'), {}],
  [runner, wireName('rest_answer'), { for: 19, rests: false, reason: 'busy' }],
  [web, wireName('pause'), {}],
  [hub, wireName('status'), { status: 'asleep' }],
  [web, wireName('resume'), {}],
  [runner, '_unknown/method', {}],
  [device, wireName('device_start'), {}],
  [hub, wireName('moved'), { sandbox: 'none' }],
  [web, wireName('user_message'), { content: 'third' }],
  [runner, wireName('ack'), { for: 'user_message', id: 27 }],
  [runner, wireName('turn_complete'), { messageId: 27, stopReason: 'end_turn' }],
  [web, wireName('close'), {}],
  [hub, wireName('session_close'), { reason: 'asked' }],
  [web, wireName('rewind'), { to: 2 }],
  [hub, wireName('forked'), { run: 'run_storystory', event: 19 }],
  [runner, 'session/update', { update: { sessionUpdate: 'plan', entries: [{ status: 'completed' }] } }],
]

/** A sample log with every event that changes the state, and the state after each event. */
export function* storyOfFold(): Generator<[StoredEvent, LogState]> {
  const state = emptyLogState()
  for (const [index, [by, method, params]] of story.entries()) {
    const event: StoredEvent = {
      id: index + 1,
      type: 'notification',
      timestamp: new Date(index).toISOString(),
      notification: notification(method, params),
      by,
      ...(by.kind === 'runner' && { producer: { id: 'p', epoch: 1, seq: index } }),
      ...(by.kind === 'device' && { life: 7 }),
      ...(by.kind === 'web' && { key: { key: `${index}`, body: 'body' } }),
    }
    remember(state, event)
    yield [event, state]
  }
}

/**
 * Changes when the fold changes, as snapshots of another fold are useless. It is made from the fold's results for a sample log, not from
 * its source, so that a rebuild or a new comment does not invalidate snapshots.
 */
export function foldFingerprint(): string {
  const digests = [JSON.stringify(z.toJSONSchema(RunView))]
  for (const [, { view, producers, keys, lives, ...rest }] of storyOfFold()) {
    digests.push(JSON.stringify([view, [...producers], [...keys], [...lives], rest]))
  }
  return hash('sha256', digests.join('\n'))
}
