import { hub, type Line, laptop, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { StoryFold } from '@farhand/story/fold/story-fold'
import type { Story } from '@farhand/story/items/story'
import type { RunActions } from '../src/outbox/actions.ts'

const tool = (toolCallId: string, more: Record<string, unknown>): Line => [
  runner,
  'tool_call',
  { toolCallId, ...more },
]
const result = (toolCallId: string, more: Record<string, unknown>): Line => [
  runner,
  'tool_result',
  { toolCallId, ...more },
]
const text = (said: string): Line => [runner, 'agent_message_chunk', { text: said }]
const content = (said: string) => [{ type: 'content', content: { type: 'text', text: said } }]
const plan = (...states: string[]): Line => [
  runner,
  'session/update',
  {
    update: {
      sessionUpdate: 'plan',
      entries: [
        'Find where times are formatted',
        'Make one function of it',
        'Run the tests',
        'Say what changed',
      ].map((one, at) => ({ content: one, status: states[at] ?? 'pending', priority: 'medium' })),
    },
  },
]

const before = `export function ago(ms) {
  const s = Math.floor(ms / 1000)
  if (s < 60) return s + 's'
  return Math.floor(s / 60) + 'm'
}
`
const after = `/** How long ago something was, in words. */
export function ago(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return \`\${seconds} s\`
  if (seconds < 3600) return \`\${Math.floor(seconds / 60)} min\`
  return \`\${Math.floor(seconds / 3600)} h\`
}
`

const lines: Line[] = [
  [
    web,
    '_posthog/user_message',
    { content: 'Times are shown in three different ways. Make it one, with tests.' },
  ],
  [hub, '_posthog/status', { status: 'provisioning' }],
  [hub, '_posthog/phase_start', { phase: 'provisioning' }],
  [hub, '_posthog/session_start', { generation: 1 }],
  [hub, '_posthog/phase_complete', { phase: 'provisioning', ok: true, ms: 812 }],
  [runner, '_posthog/agent_start', { agent: 'claude', sessionId: 's1', how: 'new' }],
  [hub, '_posthog/status', { status: 'active' }],
  [laptop, '_posthog/device_start', { name: 'Work laptop' }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id: 1 }],
  [
    runner,
    'agent_thought_chunk',
    { text: 'The three places first. Then **one** function, and the old ones go.' },
  ],
  plan('in_progress'),
  tool('t1', {
    title: 'toLocaleTimeString|ago(',
    kind: 'search',
    status: 'in_progress',
    rawInput: { pattern: 'ago\\(' },
  }),
  result('t1', { status: 'completed', content: content('src/list.ts:14\nsrc/header.ts:40\nsrc/mail.ts:7') }),
  tool('t2', {
    title: 'src/list.ts',
    kind: 'read',
    status: 'in_progress',
    locations: [{ path: 'src/list.ts', line: 14 }],
  }),
  result('t2', { status: 'completed', content: content(before) }),
  text(
    'Three places format times on their own:\n\n| file | shows |\n|---|---|\n| `src/list.ts` | `5m` |\n| `src/header.ts` | `5 min ago` |\n| `src/mail.ts` | the whole date |\n\nI take the words of the header for all of them:\n\n```ts\nexport const ago = (ms: number): string => Math.floor(ms / 60_000) + " min" // as the header does\n```\n\n- [x] found them\n- [ ] one function\n- [ ] tests\n\nSee [the style guide](https://example.org/style) and <script>alert(1)</script>.',
  ),
  plan('completed', 'in_progress'),
  tool('t3', { title: 'Edit src/ago.ts', kind: 'edit', status: 'in_progress' }),
  result('t3', {
    status: 'completed',
    content: [{ type: 'diff', path: 'src/ago.ts', oldText: before, newText: after }],
  }),
  [runner, '_posthog/file_change', { path: 'src/ago.ts', action: 'deleted' }],
  [laptop, '_posthog/file_sync', { path: 'notes.md', action: 'deleted' }],
  [runner, '_posthog/git_commit', { sha: 'a'.repeat(40), kind: 'checkpoint', number: 3 }],
  tool('t4', {
    title: '`npm test`',
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command: 'npm test -- ago' },
  }),
  result('t4', {
    status: 'failed',
    rawOutput: { exitCode: 1 },
    content: content(
      '```console\n\u001b[31mFAIL\u001b[0m src/ago.test.ts\n  expected "1 min", got "60 s"\n\n1 failed, 11 passed\n```',
    ),
  }),
  [web, '_posthog/shell', { command: 'git status --short', id: 'sh1' }],
  [
    runner,
    '_posthog/sandbox_output',
    { id: 'sh1', stdout: ' M src/ago.ts\n?? src/ago.test.ts\n', exitCode: 0 },
  ],
  text('One test is off by one: a minute is 60 seconds. Mended.'),
  [
    runner,
    '_posthog/turn_complete',
    { messageId: 1, stopReason: 'end_turn', usage: { inputTokens: 18200, outputTokens: 1450 } },
  ],
  [web, '_posthog/user_message', { content: 'Good. Now publish it, please.\nWith a short message.' }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id: 29 }],
  [hub, '_posthog/console', { level: 'warn', message: 'The setup command took longer than 5 minutes.' }],
  plan('completed', 'completed', 'completed', 'in_progress'),
  tool('t5', {
    title: 'git push origin times',
    kind: 'execute',
    status: 'pending',
    rawInput: { command: 'git push origin times' },
  }),
  [
    runner,
    '_posthog/agent_question',
    {
      questionId: 'qst_question1',
      question: 'May it push to origin?',
      kind: 'permission',
      toolCallId: 't5',
      options: [
        { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
        { optionId: 'always', name: 'Always allow pushes', kind: 'allow_always' },
        { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
      ],
    },
  ],
]

function told(events: readonly SeenEvent[]): Story {
  const fold = new StoryFold()
  const late = Date.now() - Date.parse(events.at(-1)!.timestamp) - 4000
  for (const event of events)
    fold.take({ ...event, timestamp: new Date(Date.parse(event.timestamp) + late).toISOString() })
  return fold.story
}

/** A run with nearly every kind of item, whose agent asks a question. */
export const madeUpStory = told(sampleLog(...lines))

/** The same run before the question: the agent is working. */
export const storyAtWork = told(sampleLog(...lines.slice(0, 19)))

/** A log of `count` events; a third of them are words of the agent. */
export function longLog(count: number): SeenEvent[] {
  const all: Line[] = [...lines.slice(0, 9)]
  for (let at = 0; all.length < count; at++) {
    all.push(
      text(`Step ${at}. `),
      text('Now **this** file, `'),
      text(`src/file-${at}.ts`),
      text('`, and then:\n\n- one\n- two\n'),
    )
    all.push([runner, 'agent_thought_chunk', { text: `Thinking about ${at}.` }])
    all.push(
      tool(`c${at}`, {
        title: `src/file-${at}.ts`,
        kind: at % 3 ? 'edit' : 'execute',
        status: 'in_progress',
      }),
    )
    all.push(
      result(`c${at}`, {
        status: 'completed',
        content:
          at % 3
            ? [{ type: 'diff', path: `src/file-${at}.ts`, oldText: before, newText: after }]
            : content('ok\n'.repeat(20)),
      }),
    )
    all.push([runner, '_posthog/file_change', { path: `src/file-${at}.ts`, action: 'deleted' }])
  }
  return sampleLog(...all.slice(0, count))
}

export const noActions: RunActions = {
  act: (action) => console.log('would do', action),
  unsent: [],
  drop: () => {},
  again: () => {},
  attach: () => Promise.reject(new Error('there is no hub on this page')),
}
