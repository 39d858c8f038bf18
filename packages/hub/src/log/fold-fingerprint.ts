import { hash } from 'node:crypto'
import type { Author, StoredEvent } from '@farhand/protocol/event'
import { RunView } from '@farhand/protocol/run-view'
import { z } from 'zod'
import { emptyLogState, type LogState, remember } from './log-state.ts'

const hub: Author = { kind: 'hub' }
const web: Author = { kind: 'web', id: 'usr_story' }
const device: Author = { kind: 'device', id: 'dev_story' }
const runner: Author = { kind: 'runner', generation: 1 }
const questionId = 'qst_storystory'

const story: [Author, string, Record<string, unknown>][] = [
  [hub, '_posthog/status', { status: 'provisioning' }],
  [hub, '_posthog/session_start', { generation: 1, sandboxId: 'box' }],
  [web, '_posthog/user_message', { content: 'first' }],
  [web, '_posthog/user_message', { content: 'second' }],
  [web, '_posthog/message_edit', { messageId: 4, content: null }],
  [runner, '_posthog/ack', { for: 'user_message', id: 3 }],
  [runner, 'agent_message_chunk', { text: 'text' }],
  [runner, '_posthog/agent_question', { questionId, question: 'which?', options: ['a', 'b'], timeout: 5 }],
  [web, '_posthog/user_response', { questionId, answer: 'a' }],
  [runner, '_posthog/question_closed', { questionId, how: 'answered' }],
  [runner, '_posthog/git_commit', { sha: 'abcdef', branch: 'main' }],
  [runner, '_posthog/turn_complete', { messageId: 3, stopReason: 'end_turn' }],
  [web, '_posthog/mode_change', { mode: 'background', policy: { allow: 'all' } }],
  [web, '_posthog/shell', { id: 'sh', command: 'ls' }],
  [runner, '_posthog/sandbox_output', { id: 'sh', stdout: '' }],
  [runner, '_posthog/sandbox_output', { id: 'sh', exitCode: 0 }],
  [web, '_posthog/file_request', { path: 'a.txt' }],
  [runner, '_posthog/file_content', { path: 'a.txt', content: '' }],
  [hub, '_posthog/rest_request', {}],
  [runner, '_posthog/rest_answer', { for: 19, rests: false, reason: 'busy' }],
  [web, '_posthog/pause', {}],
  [hub, '_posthog/status', { status: 'asleep' }],
  [web, '_posthog/resume', {}],
  [runner, '_unknown/method', {}],
  [device, '_posthog/device_start', {}],
  [hub, '_posthog/moved', { sandbox: 'none' }],
  [web, '_posthog/user_message', { content: 'third' }],
  [runner, '_posthog/ack', { for: 'user_message', id: 27 }],
  [runner, '_posthog/turn_complete', { messageId: 27, stopReason: 'end_turn' }],
  [web, '_posthog/close', {}],
  [hub, '_posthog/session_close', { reason: 'asked' }],
  [web, '_posthog/rewind', { to: 2 }],
  [hub, '_posthog/forked', { run: 'run_storystory', event: 19 }],
]

/** A log in which everything that can change a state does so, and the state after each of its events. */
export function* storyOfFold(): Generator<[StoredEvent, LogState]> {
  const state = emptyLogState()
  for (const [index, [by, method, params]] of story.entries()) {
    const event: StoredEvent = {
      id: index + 1,
      type: 'notification',
      timestamp: new Date(index).toISOString(),
      notification: { jsonrpc: '2.0', method, params },
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
 * Changes when the fold does: a snapshot of another fold is worth nothing. Told by what the fold does, not by how it
 * is written, so that neither a rebuild nor a new comment throws the snapshots away.
 */
export function foldFingerprint(): string {
  const digests = [JSON.stringify(z.toJSONSchema(RunView))]
  for (const [, { view, producers, keys, lives, ...rest }] of storyOfFold()) {
    digests.push(JSON.stringify([view, [...producers], [...keys], [...lives], rest]))
  }
  return hash('sha256', digests.join('\n'))
}
