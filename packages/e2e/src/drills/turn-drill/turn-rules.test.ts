import { hub, type Line, runner, sampleLog, secondRunner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { judgeTurns } from './turn-rules.ts'

const begin = (generation: number): Line => [hub, '_posthog/session_start', { generation }]
const message = (content: string): Line => [web, '_posthog/user_message', { content }]
const ack = (id: number, by = runner): Line => [by, '_posthog/ack', { for: 'user_message', id }]
const say = (text: string, by = runner): Line => [by, 'agent_message_chunk', { text }]
const ask = (questionId: string): Line => [runner, '_posthog/agent_question', { questionId, question: '?' }]
const answer = (questionId: string, given: string): Line => [
  web,
  '_posthog/user_response',
  { questionId, answer: given },
]
const close = (questionId: string, how: string): Line => [
  runner,
  '_posthog/question_closed',
  { questionId, how },
]
const tool: Line = [runner, 'tool_call', { toolCallId: 'call-1', status: 'in_progress' }]
const end = (messageId: number, by = runner): Line => [
  by,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn' },
]
const wrongs = (...lines: Line[]) => judgeTurns(sampleLog(begin(1), ...lines)).wrongs

describe('the rules that a drill checks', () => {
  it('W29 allow a turn that is continued once', () => {
    const first = [message('say w1w'), ack(2), say('w1w')]
    expect(
      wrongs(...first, begin(2), ack(2, secondRunner), say('w1w', secondRunner), end(2, secondRunner)),
    ).toEqual([])
  })

  it.each<[string, Line[]]>([
    ['is never ended', [message('say w1w'), ack(2), say('w1w')]],
    ['is ended twice', [message('say w1w'), ack(2), say('w1w'), end(2), end(2)]],
    ['is begun three times', [message('think'), ack(2), ack(2), ack(2), end(2)]],
    ['says a word twice', [message('say w1w'), ack(2), say('w1w'), say('\n\nw1w'), end(2)]],
    ['loses a word', [message('say w1w'), ack(2), end(2)]],
    ['leaves a tool at work', [message('think'), ack(2), tool, end(2)]],
    [
      'is ended although it was withdrawn',
      [message('think'), [web, '_posthog/message_edit', { messageId: 2, content: null }], ack(2), end(2)],
    ],
    ['is begun while the run is paused', [[web, '_posthog/pause', {}], message('think'), ack(3), end(3)]],
    ['is worked on by a runner that has been replaced', [message('think'), begin(2), ack(2), end(2)]],
  ])('W29 W8 refuse a turn that %s', (_, lines) => {
    expect(wrongs(...lines)).not.toEqual([])
  })

  it('W29 allow a turn that is cancelled after a message that had joined another turn and was left over', () => {
    const joins = (id: number): Line => [runner, '_posthog/ack', { for: 'user_message', id, into: 2 }]
    const ends = (messageId: number, stopReason: string): Line => [
      secondRunner,
      '_posthog/turn_complete',
      { messageId, stopReason },
    ]
    const three = [message('think'), message('think'), message('think'), ack(2), joins(3), joins(4)]
    const left = [begin(2), ends(2, 'interrupted'), ack(3, secondRunner)]
    expect(wrongs(...three, ...left, ends(4, 'cancelled'), ends(3, 'cancelled'))).toEqual([])
  })

  it('W29 allow a message that joins a turn and ends with it, and refuse one that does not', () => {
    const joins: Line = [runner, '_posthog/ack', { for: 'user_message', id: 3, into: 2 }]
    const ends = (stopReason = 'end_turn'): Line => [
      runner,
      '_posthog/turn_complete',
      { messageId: 3, stopReason, into: 2 },
    ]
    const both = [message('say w1w'), message('say w2w'), ack(2)]
    const heard = [joins, say('w2w'), say('\n\nw1w')]
    expect(wrongs(...both, ...heard, end(2), ends())).toEqual([])
    expect(wrongs(...both, joins, say('w1w'), end(2), ack(3), say('w2w'), end(3))).toEqual([])
    expect(wrongs(...both, joins, say('w1w'), end(2), ends())).not.toEqual([])
    expect(wrongs(...both, ...heard, end(2))).not.toEqual([])
    expect(wrongs(...both, ...heard, end(2), ends('cancelled'))).not.toEqual([])
    expect(wrongs(...both, ...heard, end(2), ends(), ends())).not.toEqual([])
    expect(wrongs(...both, say('w1w'), end(2), joins, say('w2w'), ends())).not.toEqual([])
    expect(wrongs(...both, ...heard, say('\n\nw2w'), end(2), ends())).not.toEqual([])
  })

  it('allow a question about a limit before the turn that it keeps from beginning', () => {
    const limit: Line = [
      runner,
      '_posthog/agent_question',
      { questionId: 'qst_12345678', question: '?', limits: { turns: 2 } },
    ]
    const answered = [answer('qst_12345678', 'continue'), close('qst_12345678', 'answered')]
    const turn = [ack(2), say('w1w'), end(2)]
    expect(wrongs(message('say w1w'), limit, ...answered, ...turn)).toEqual([])
    expect(wrongs(message('say w1w'), ask('qst_12345678'), ...answered, ...turn)).not.toEqual([])
    expect(wrongs(message('say w1w'), limit, ...turn)).not.toEqual([])
  })

  it('W30 refuse questions without an end, with two, and with an answer that no user gave', () => {
    const open = [message('ask'), ack(2), ask('qst_12345678')]
    const answered = [
      answer('qst_12345678', 'red'),
      answer('qst_12345678', 'blue'),
      close('qst_12345678', 'answered'),
    ]
    expect(wrongs(...open, ...answered, say('You answered: red'), end(2))).toEqual([])
    expect(wrongs(...open, ...answered, say('You answered: blue'), end(2))).not.toEqual([])
    expect(wrongs(...open, ...answered, end(2))).not.toEqual([])
    expect(wrongs(...open, end(2))).not.toEqual([])
    expect(
      wrongs(...open, close('qst_12345678', 'cancelled'), close('qst_12345678', 'cancelled'), end(2)),
    ).not.toEqual([])
    expect(wrongs(...open, close('qst_12345678', 'answered'), end(2))).not.toEqual([])
  })
})
