import { describe, expect, it } from 'vitest'
import { checkNotification } from '../events/check-notification.ts'
import { sampleHash } from '../events/sample-log.ts'
import type { Author } from '../wire/event.ts'
import { type MethodName, maySend, methods } from './methods.ts'

const question = { questionId: 'qst_00000001' }
const file = {
  path: 'src/a.ts',
  action: 'created',
  hash: sampleHash('a'),
  size: 3,
  mode: '100755',
  was: null,
}
const chunk = { text: 'Hi', content: { type: 'text', text: 'Hi' }, messageId: 'm1' }
const tool = { toolCallId: 't1', title: 'Read', kind: 'read', status: 'completed', rawOutput: { lines: 3 } }

/** One of each, with all that it may say. */
const examples: Record<MethodName, Record<string, unknown>> = {
  '_posthog/session_init': {},
  '_posthog/session_start': { generation: 1, sandboxId: null, previousSeq: 7 },
  '_posthog/status': { status: 'asleep', reason: 'nothing to do' },
  '_posthog/session_close': { reason: 'asked' },
  '_posthog/session_checkpoint': { checkpointId: 'c1' },
  '_posthog/session_restored': { fromCheckpoint: null, files: 3, missing: ['a/b'], ms: 12.5 },
  '_posthog/rest_request': { reason: 'nothing to do' },
  '_posthog/rest_answer': { for: 9, rests: false, reason: 'a command runs' },
  '_posthog/agent_memory': {
    agent: 'builtin',
    sessionId: 's1',
    files: sampleHash('m'),
    blobs: [sampleHash('a')],
  },
  '_posthog/rewind': { to: 7 },
  '_posthog/moved': { sandbox: 'auto', from: 'none' },
  '_posthog/forked': { run: 'run_00000001', event: 7 },
  '_posthog/user_message': {
    content: 'Hi',
    attachments: [{ hash: sampleHash('a'), name: 'a.png' }],
    when: 'steer',
  },
  '_posthog/message_edit': { messageId: 3, content: null },
  '_posthog/ack': { for: 'user_message', id: 3 },
  '_posthog/turn_complete': { messageId: 3, stopReason: 'end_turn', usage: { tokens: 5 } },
  '_posthog/cancel': {},
  '_posthog/pause': {},
  '_posthog/resume': {},
  '_posthog/close': { reason: 'done' },
  '_posthog/run_limits': { costUsd: 2.5, turns: null },
  '_posthog/mode_change': { mode: 'background', policy: { permission: 'deny' } },
  'session/set_mode': { sessionId: 's', modeId: 'plan' },
  'session/set_config_option': { sessionId: 's', configId: 'model', value: 'large' },
  '_posthog/agent_question': {
    ...question,
    question: 'Which one?',
    kind: 'permission',
    options: ['this', { optionId: 'o1', name: 'that', kind: 'allow_once' }],
    timeout: 0.5,
    default: 'this',
    toolCallId: 't1',
    replaces: 'qst_00000000',
  },
  '_posthog/user_response': { ...question, answer: { form: [1] }, by: 'somebody' },
  '_posthog/question_closed': { ...question, how: 'superseded' },
  '_posthog/file_change': { path: 'a', action: 'deleted', was: { mode: '120000', hash: sampleHash('a') } },
  '_posthog/file_sync': { files: [file, { path: 'b', action: 'deleted', was: null }] },
  '_posthog/file_kept': { path: 'a', hash: sampleHash('a'), mode: '100644', why: 'offered' },
  '_posthog/file_request': { path: 'a b/\n/c' },
  '_posthog/file_content': { path: 'a', missing: true },
  '_posthog/device_start': { name: 'website on laptop' },
  '_posthog/sync_settings': { maxFileBytes: 52_428_800 },
  '_posthog/git_commit': {
    sha: 'abc123',
    branch: null,
    message: 'wip',
    kind: 'checkpoint',
    upTo: 0,
    bundle: sampleHash('b'),
    index: null,
  },
  '_posthog/user_setup': {
    items: [{ path: '.agents/AGENTS.md', hash: sampleHash('a'), mode: '644', size: 3 }],
    mcpServers: [{ name: 'web', type: 'http', url: 'https://a.example/mcp', headers: {} }],
  },
  '_posthog/shell': { command: 'ls', id: 's1' },
  '_posthog/shell_stop': { id: 'x' },
  '_posthog/sandbox_output': { stdout: '', stderr: '', exitCode: 0, id: 's1' },
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  user_message_chunk: chunk,
  tool_call: tool,
  tool_result: tool,
  '_posthog/agent_status': { status: 'thinking' },
  '_posthog/agent_start': { agent: 'rehearsal', sessionId: 's', how: 'new', said: { protocolVersion: 1 } },
  'session/update': { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } },
  '_posthog/phase_start': { phase: 'setup' },
  '_posthog/phase_complete': { phase: 'setup' },
  '_posthog/artifact': { kind: 'unsent', name: 'x', content: [1], hash: sampleHash('a') },
  '_posthog/console': { level: 'info', message: '' },
  '_posthog/pr_created': { prUrl: 'https://example.org/pull/1' },
  '_posthog/error': { message: 'no', error: { code: 1 } },
}

const kinds: Author['kind'][] = ['runner', 'device', 'web', 'channel', 'hub']

describe('every method', () => {
  it('W15 has an author that may send it', () => {
    for (const [name, { by }] of Object.entries(methods)) {
      expect(
        kinds.some((kind) => maySend(kind, by)),
        name,
      ).toBe(true)
    }
  })

  it('accepts its params from the authors that may send it', () => {
    for (const [name, { by }] of Object.entries(methods)) {
      const notification = { jsonrpc: '2.0', method: name, params: examples[name as MethodName] }
      for (const kind of kinds) if (maySend(kind, by)) checkNotification(notification, kind)
    }
  })

  it('W27 takes unknown params, and keeps them as they are', () => {
    for (const [name, { params }] of Object.entries(methods)) {
      const said = { ...examples[name as MethodName], sessionId: 's', tomorrow: { deep: [null, 1] } }
      expect(params.parse(said), name).toEqual(said)
    }
  })
})
