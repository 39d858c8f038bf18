import { hub, type Line, runner, sampleHash, secondRunner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { itemsOf, outline, told } from './story-under-test.ts'

const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const say = (content: string, more: object = {}): Line => [web, '_posthog/user_message', { content, ...more }]
const ack = (id: number, more: object = {}): Line => [
  runner,
  '_posthog/ack',
  { for: '_posthog/user_message', id, ...more },
]
const over = (messageId: number, more: object = {}): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn', ...more },
]
const chunk = (text: string, more: object = {}): Line => [runner, 'agent_message_chunk', { text, ...more }]
const thought = (text: string): Line => [runner, 'agent_thought_chunk', { text }]
const update = (said: object): Line => [runner, 'session/update', { update: said }]

describe('messages', () => {
  it('wait at the end until a turn begins them, and then stand where they were taken on', () => {
    const before = [start, say('one'), ack(2), say('two'), chunk('working')]
    expect(outline(told(...before))).toEqual(['taken: one', 'words: working', 'waiting: two'])
    expect(told(...before).queue.map(({ text }) => text)).toEqual(['two'])
    const after = told(...before, over(2), ack(4))
    expect(outline(after)).toEqual(['over: one', 'words: working', 'turn-end', 'taken: two'])
    expect(after.queue).toEqual([])
  })

  it('can be changed and taken back while they wait, and not after', () => {
    const edit = (messageId: number, content: string | null): Line => [
      web,
      '_posthog/message_edit',
      { messageId, content },
    ]
    expect(outline(told(say('a'), edit(1, 'b')))).toEqual(['waiting: b'])
    expect(outline(told(say('a'), edit(1, null)))).toEqual(['withdrawn: a'])
    expect(outline(told(start, say('a'), ack(2), edit(2, null)))).toEqual(['taken: a'])
    expect(outline(told(start, say('a'), edit(2, null), ack(2)))).toEqual(['withdrawn: a'])
  })

  it('said into a turn have no end of their own', () => {
    const after = told(
      start,
      say('one'),
      ack(2),
      say('and blue', { when: 'steer' }),
      ack(4, { into: 2 }),
      over(2),
      over(4, { into: 2 }),
    )
    expect(outline(after)).toEqual(['over: one', 'over: and blue', 'turn-end'])
    expect(itemsOf(after, 'message')[1]?.isSteering).toBe(true)
  })

  it('taken up again after a death say so, and end once (W29)', () => {
    const after = told(
      start,
      say('one'),
      ack(2),
      chunk('ha'),
      [hub, '_posthog/session_start', { generation: 2 }],
      [secondRunner, '_posthog/ack', { for: '_posthog/user_message', id: 2 }],
      chunk('half'),
      over(2),
      over(2),
    )
    expect(outline(after)).toEqual([
      'over: one',
      'words: ha',
      'warn: The agent was interrupted, and starts this message again.',
      'words: half',
      'turn-end',
    ])
  })

  it('that fail say what their agent said of it', () => {
    const after = told(
      start,
      say('one'),
      ack(2),
      over(2, { stopReason: 'failed', error: { message: 'no key' } }),
    )
    expect(itemsOf(after, 'turn-end')).toMatchObject([
      { stopReason: 'failed', error: 'no key', messageId: 2 },
    ])
  })
})

describe('words', () => {
  it('grow chunk by chunk, and stand apart from thoughts and tools between them', () => {
    const after = told(
      chunk('Hel'),
      chunk('lo'),
      thought('hm'),
      thought('m'),
      chunk('there'),
      [runner, 'tool_call', { toolCallId: 'c' }],
      chunk('!'),
    )
    expect(outline(after)).toEqual([
      'words: Hello',
      'thought: hmm',
      'words: there',
      'tool c: pending',
      'words: !',
    ])
    expect(itemsOf(after, 'words').map(({ isOpen }) => isOpen)).toEqual([false, false, true])
  })

  it('are not torn by files and checkpoints that come in between', () => {
    const after = told(
      chunk('**bo'),
      [runner, '_posthog/file_change', { path: 'a.txt', action: 'deleted' }],
      chunk('ld**'),
    )
    expect(outline(after)).toEqual(['words: **bold**', 'files'])
  })

  it('of another message of the agent begin anew', () => {
    const after = told(
      chunk('a', { messageId: 'm1' }),
      chunk('b', { messageId: 'm1' }),
      chunk('c', { messageId: 'm2' }),
    )
    expect(outline(after)).toEqual(['words: ab', 'words: c'])
  })

  it('may have pictures, which are carried along and not fetched from elsewhere', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    const far = { type: 'image', mimeType: 'image/png', uri: 'https://example.org/x.png' }
    const after = told(chunk('', { content: image }), chunk('', { content: far }))
    expect(itemsOf(after, 'words')).toMatchObject([{ images: [{ mimeType: 'image/png', data: 'AAAA' }] }])
  })
})

describe('tools', () => {
  it('are one item that changes', () => {
    const after = told(
      [
        runner,
        'tool_call',
        { toolCallId: 'c', title: 'Run tests', kind: 'execute', rawInput: { command: 'npm test' } },
      ],
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' }),
      [
        runner,
        'tool_result',
        {
          toolCallId: 'c',
          status: 'failed',
          rawOutput: { exitCode: 1 },
          content: [{ type: 'content', content: { type: 'text', text: 'one failed' } }],
        },
      ],
    )
    expect(itemsOf(after, 'tool')).toMatchObject([
      {
        id: 1,
        title: 'Run tests',
        what: 'execute',
        status: 'failed',
        command: 'npm test',
        exitCode: 1,
        content: [{ is: 'text', text: 'one failed' }],
        endedAt: '2026-01-01T00:00:02.000Z',
      },
    ])
  })

  it('say nothing that reads otherwise than it is', () => {
    const turned = 'rm \u202e-fr\u0007 x'
    const after = told([
      runner,
      'tool_call',
      { toolCallId: 'c', title: turned, kind: 'execute', rawInput: { command: turned } },
    ])
    expect(itemsOf(after, 'tool')).toMatchObject([{ title: 'rm �-fr� x', command: 'rm �-fr� x' }])
  })

  it('are there also if only an update tells of them', () => {
    const after = told(update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'Late' }))
    expect(itemsOf(after, 'tool')).toMatchObject([{ title: 'Late', status: 'pending', endedAt: null }])
  })

  it('keep the changes that they told with their request if their end only says that they are done', () => {
    const content = [{ type: 'diff', path: 'a.txt', oldText: 'a', newText: 'b' }]
    const done = [{ type: 'content', content: { type: 'text', text: 'ok' } }]
    const ended = (status: string) =>
      itemsOf(
        told(
          [runner, 'tool_call', { toolCallId: 'c', status: 'pending', content }],
          [runner, 'tool_result', { toolCallId: 'c', status, content: done }],
        ),
        'tool',
      )[0]!.content.map(({ is }) => is)
    expect(ended('completed')).toEqual(['diff', 'text'])
    expect(ended('failed')).toEqual(['text'])
  })

  it('ended in place of their agent keep what they had shown', () => {
    const content = [{ type: 'diff', path: '/w/a.txt', oldText: null, newText: 'x' }]
    const after = told(
      [
        runner,
        'tool_call',
        { toolCallId: 'c', title: 'Edit', content, locations: [{ path: '/w/a.txt', line: 3 }] },
      ],
      [
        runner,
        'tool_result',
        { toolCallId: 'c', status: 'completed', _meta: { 'farhand/endedBy': 'end_turn' } },
      ],
    )
    expect(itemsOf(after, 'tool')).toMatchObject([
      {
        status: 'completed',
        content: [{ is: 'diff', path: '/w/a.txt', before: null, after: 'x' }],
        places: [{ path: '/w/a.txt', line: 3 }],
      },
    ])
  })

  it('show the beginning of what lies in a blob, and only of blobs that their event names (W24)', () => {
    const marker = { _blob: sampleHash('a'), size: 2_000_000, head: 'begins' }
    const content = [{ type: 'content', content: { type: 'text', text: marker } }]
    const shown = (blobs: string[]) =>
      itemsOf(told([runner, 'tool_call', { toolCallId: 'c', content, blobs }]), 'tool')[0]?.content
    expect(shown([sampleHash('a')])).toEqual([
      { is: 'blob', head: 'begins', hash: sampleHash('a'), size: 2_000_000, isJson: false },
    ])
    expect(shown([sampleHash('b')])).toEqual([])
  })

  it('of an agent that counts from the beginning again are not those of the one before', () => {
    const call = (title: string): Line => [runner, 'tool_call', { toolCallId: '1', title }]
    const done: Line = [runner, 'tool_result', { toolCallId: '1', status: 'completed' }]
    const began: Line = [runner, '_posthog/agent_start', { agent: 'a', sessionId: 's2', how: 'new' }]
    const titles = (lines: Line[]) => itemsOf(told(...lines), 'tool').map(({ title }) => title)
    expect(titles([call('one'), done, began, call('two'), done])).toEqual(['one', 'two'])
    expect(titles([call('one'), done, call('two'), done])).toEqual(['two'])
  })
})

describe('plans', () => {
  it('change in place within a turn, and are told anew in the next one', () => {
    const plan = (...steps: [string, string][]) =>
      update({ sessionUpdate: 'plan', entries: steps.map(([content, status]) => ({ content, status })) })
    const after = told(
      start,
      say('one'),
      ack(2),
      plan(['read', 'in_progress'], ['write', 'pending']),
      chunk('reading'),
      plan(['read', 'completed'], ['write', 'odd']),
      over(2),
      say('two'),
      ack(8),
      plan(['test', 'pending']),
    )
    expect(itemsOf(after, 'plan').map(({ steps }) => steps)).toMatchObject([
      [
        { text: 'read', status: 'completed' },
        { text: 'write', status: 'pending' },
      ],
      [{ text: 'test', status: 'pending' }],
    ])
  })
})
