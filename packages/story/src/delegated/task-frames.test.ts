import { TaskFrame } from '@farhand/protocol/delegated/delegated-tasks'
import { mayFollow } from '@farhand/protocol/delegated/task-machine'
import { hub, type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TaskFrames } from './task-frames.ts'

const task = DelegatedTaskId.parse('acp_delegated0')

const says = (content = 'do it'): Line => [web, '_posthog/user_message', { content }]
const acks = (id: number): Line => [runner, '_posthog/ack', { for: '_posthog/user_message', id }]
const ends = (messageId: number, stopReason = 'end_turn'): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason },
]
const words = (text: string): Line => [runner, 'agent_message_chunk', { text }]
const thinks = (text: string): Line => [runner, 'agent_thought_chunk', { text }]
const calls = (toolCallId: string, title = 'exa_search'): Line => [
  runner,
  'tool_call',
  { toolCallId, title, kind: 'search', status: 'in_progress' },
]
const results = (toolCallId: string, text: string, status = 'completed'): Line => [
  runner,
  'tool_result',
  { toolCallId, status, content: [{ type: 'content', content: { type: 'text', text } }] },
]
const plans = (...statuses: string[]): Line => [
  runner,
  'session/update',
  {
    update: {
      sessionUpdate: 'plan',
      entries: statuses.map((status, at) => ({ content: `step ${at + 1}`, status, priority: 'high' })),
    },
  },
]
const asks = (questionId: string, toolCallId?: string): Line => [
  runner,
  '_posthog/agent_question',
  {
    questionId,
    question: 'Which one?',
    options: [{ optionId: 'a', name: 'The first' }, 'The second'],
    ...(toolCallId && { toolCallId, kind: 'permission' }),
  },
]

function framesOf(events: readonly StoredEvent[]): TaskFrame[] {
  const fold = new TaskFrames(task)
  return events.flatMap((event) => fold.take(event))
}
const told = (...lines: Line[]) =>
  framesOf(sampleLog(...lines)).map(({ type, seq, data }) => [seq, type, data])

describe('the frames of a delegated task', () => {
  it('W84 tells its states, and the result last', () => {
    expect(told(says(), acks(1), words('All '), words('done.'), ends(1))).toEqual([
      [1, 'acp_task_status', { task_id: task, status: 'submitted' }],
      [2, 'acp_task_status', { task_id: task, status: 'working' }],
      [3, 'acp_text_delta', { delta: 'All ' }],
      [4, 'acp_text_delta', { delta: 'done.' }],
      [5, 'acp_task_status', { task_id: task, status: 'completed' }],
      [5, 'acp_task_completed', { task_id: task, result_summary: 'All done.' }],
    ])
  })

  it('W84 tells thoughts, tools with what came of them and how long they took, and plans', () => {
    const frames = told(
      says(),
      acks(1),
      thinks('hm'),
      calls('c1'),
      results('c1', 'Found 8 results'),
      plans('completed', 'in_progress', 'pending'),
    )
    expect(frames.slice(2)).toEqual([
      [3, 'acp_thinking', { text: 'hm' }],
      [4, 'acp_tool_start', { tool: 'Search', call_id: 'c1', input_summary: 'exa_search' }],
      [
        5,
        'acp_tool_end',
        { tool: 'Search', call_id: 'c1', summary: 'Found 8 results', duration_ms: 1000, failed: false },
      ],
      [6, 'acp_progress', { phase: 'plan', completed: 1, total: 3, current: 'step 2' }],
    ])
  })

  it('W84 tells a question once, with options by the names that answer it, also one about a tool', () => {
    const answers: Line = [web, '_posthog/user_response', { questionId: 'q1', answer: 'a' }]
    const frames = told(says(), acks(1), calls('c1'), asks('q1', 'c1'), answers, asks('q2'), words('x'))
    expect(frames.filter(([, type]) => type === 'acp_input_needed')).toEqual([
      [
        4,
        'acp_input_needed',
        { question_id: 'q1', kind: 'permission', prompt: 'Which one?', options: ['The first', 'The second'] },
      ],
      [6, 'acp_input_needed', expect.objectContaining({ question_id: 'q2' })],
    ])
  })

  it('W84 tells a tool that is only heard of at its end with both its frames', () => {
    const frames = told(says(), acks(1), results('c9', 'oh', 'failed'))
    expect(frames.slice(2).map(([seq, type]) => [seq, type])).toEqual([
      [3, 'acp_tool_start'],
      [3, 'acp_tool_end'],
    ])
  })

  it('W84 tells nothing more once the task is over, though its run goes on', () => {
    const frames = told(says(), acks(1), ends(1), says('and this'), acks(4), words('sure'), ends(4))
    expect(frames.at(-1)).toEqual([3, 'acp_task_completed', { task_id: task, result_summary: '' }])
  })

  it('W84 of a failed task end with its status', () => {
    const frames = told(says(), [hub, '_posthog/status', { status: 'failed', reason: 'no sandbox' }])
    expect(frames.at(-1)).toEqual([2, 'acp_task_status', { task_id: task, status: 'failed' }])
  })
})

const text = fc.string({ minLength: 1, maxLength: 8 })
const call = fc.constantFrom('a', 'b', 'c')
const anyLine: fc.Arbitrary<Line> = fc.oneof(
  { weight: 4, arbitrary: text.map(words) },
  { weight: 2, arbitrary: text.map(thinks) },
  { weight: 3, arbitrary: call.map((id) => calls(id)) },
  { weight: 3, arbitrary: fc.tuple(call, text).map(([id, said]) => results(id, said)) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom('pending', 'in_progress', 'completed')).map((all) => plans(...all)),
  },
  { weight: 1, arbitrary: fc.constantFrom('q1', 'q2', 'q3').map((id) => asks(id)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }).map(acks) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }).map((id) => ends(id)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Line>(
      [web, '_posthog/pause', {}],
      [web, '_posthog/resume', {}],
      [web, '_posthog/cancel', {}],
      [web, '_posthog/rewind', { to: 2 }],
      [runner, '_posthog/console', { level: 'info', message: 'noise' }],
      [hub, '_posthog/status', { status: 'asleep' }],
    ),
  },
)
const anyLog = fc.array(anyLine, { maxLength: 60 }).map((lines) => sampleLog(says(), ...lines))

describe('the frames of any log', () => {
  it('W85 are the same from whichever event a reader continues', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(60), (events, cut) => {
        const whole = framesOf(events)
        const before = framesOf(events.slice(0, cut))
        // A reader that saw `before` and continues after it has what one had that was never away.
        const rest = whole.filter(({ seq }) => seq > cut)
        expect([...before, ...rest]).toEqual(whole)
      }),
    )
  })

  it('W84 lose no word and repeat none', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const frames = framesOf(events)
        const end = frames.find(({ type, data }) => type === 'acp_task_status' && isEnd(data.status))?.seq
        const said = events.flatMap(({ id, notification: { method, params } }) =>
          method === 'agent_message_chunk' && id < (end ?? Number.POSITIVE_INFINITY) ? [params!.text] : [],
        )
        const deltas = frames.flatMap((frame) => (frame.type === 'acp_text_delta' ? [frame.data.delta] : []))
        expect(deltas).toEqual(said)
      }),
    )
  })

  it('W84 begin each tool once, end it at most once and after that, and change states as the table allows', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const frames = framesOf(events)
        expect(frames.map(({ seq }) => seq)).toEqual(frames.map(({ seq }) => seq).sort((a, b) => a - b))
        const begun = new Set<string>()
        const over = new Set<string>()
        let status: Parameters<typeof mayFollow>[0] | null = null
        for (const frame of frames) {
          expect(TaskFrame.parse(frame)).toEqual(frame)
          if (frame.type === 'acp_tool_start') {
            expect(begun.has(frame.data.call_id)).toBe(false)
            begun.add(frame.data.call_id)
          }
          if (frame.type === 'acp_tool_end') {
            expect(begun.has(frame.data.call_id) && !over.has(frame.data.call_id)).toBe(true)
            over.add(frame.data.call_id)
          }
          if (frame.type !== 'acp_task_status') continue
          if (status) expect(mayFollow(status, frame.data.status)).toBe(true)
          status = frame.data.status
        }
      }),
    )
  })
})

const isEnd = (status: string) => ['completed', 'failed', 'canceled'].includes(status)
