import { hub, laptop, runner, web } from '@farhand/protocol/events/sample-log'
import { type Author, jsonRpc } from '@farhand/protocol/wire/event'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import type { Piece } from './piece.ts'
import { StoryReader } from './story-reader.ts'

/** A reader, and a log to write into: each line gives the pieces that are new with it. */
function reading(isFar = false) {
  const reader = new StoryReader(isFar)
  let id = 0
  const event = (method: string, params: object, by: Author) =>
    SeenEvent.parse({
      id: ++id,
      type: 'notification',
      timestamp: '2026-11-16T12:00:00.000Z',
      notification: { ...jsonRpc, method, params },
      by,
    })
  const take = (method: string, params: object, by: Author = runner) =>
    reader.take([event(method, params, by)])
  const texts = (method: string, params: object, by?: Author) =>
    take(method, params, by).map((piece) => ('text' in piece ? piece.text : ''))
  return { reader, event, take, texts }
}

const text = (text: string) => ({ type: 'content', content: { type: 'text', text } })
const diff = { type: 'diff', path: 'a.md', oldText: '', newText: 'new\n' }
/** A tool that says at its beginning what it would change, and at its end that it is done. */
const tool = ({ take }: ReturnType<typeof reading>, end: Record<string, unknown>) => {
  take('tool_call', { toolCallId: 't', title: 'write', status: 'pending', content: [diff] })
  return (more = () => {}) => {
    more()
    return take('tool_result', { toolCallId: 't', status: 'completed', content: [text('ok')], ...end })
  }
}

it('a pull request is shown as one, and a branch that was only pushed is not', () => {
  const prUrl = 'https://github.com/ada/tool/pull/7'
  const shown = (params: object) => reading().take('_posthog/pr_created', params)
  expect(shown({ prUrl })).toEqual([{ as: 'line', text: `Pull request opened: ${prUrl}` }])
  const pushed = { prUrl: 'https://github.com/ada/tool/compare/x', branch: 'x', opened: false }
  expect(shown(pushed)).toEqual([{ as: 'line', text: `The branch x was pushed: ${pushed.prUrl}` }])
  expect(shown({ prUrl: 7 })).toEqual([])
})

it('what a tool would change is shown when it is done, or before, to the user who is asked for it, and not twice', () => {
  const changes = (pieces: readonly Piece[]) =>
    pieces.flatMap((one) => (one.as === 'tool' ? [one.changes] : []))
  const open = () => {
    const one = reading()
    return { ...one, asked: () => expect(one.reader.changesOf('t')).toEqual([diff]) }
  }
  expect(changes(tool(open(), {})())).toEqual([[diff]])
  expect(reading().reader.changesOf('t')).toEqual([])
  for (const end of [{}, { content: [diff] }]) {
    const one = open()
    expect(changes(tool(one, end)(one.asked))).toEqual([[]])
  }
  const one = open()
  const other = { ...diff, newText: 'another\n' }
  expect(changes(tool(one, { content: [other] })(one.asked))).toEqual([[other]])
  expect(changes(tool(open(), { status: 'failed' })())).toEqual([[]])
})

it('what a tool printed comes as a whole, also if it was printed before the tool was over', () => {
  const end = { content: [text('```console\n\n# Stats\nMeans\n```')] }
  expect(tool(reading(), end)()).toMatchObject([{ output: ['# Stats', 'Means'] }])
  const one = reading()
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', content: [text('one\ntwo')] }
  const printed = () => void one.take('session/update', { update })
  expect(tool(one, { content: null })(printed)).toMatchObject([{ output: ['one', 'two'] }])
})

it('how many files go along is told for changes on the way, not piece by piece for what a run begins with', () => {
  const { take } = reading(true)
  const file = (n: number) => ({ path: `${n}.md`, action: 'deleted' })
  const sent = (from: number) =>
    take('_posthog/file_sync', { files: Array.from({ length: 6 }, (_, n) => file(from + n)) }, laptop)
  expect(sent(0)).toEqual([])
  expect(take('_posthog/file_sync', file(7), laptop)).toMatchObject([{ text: '→ 7.md  deleted' }])
  take('_posthog/user_message', { content: 'go' }, web)
  take('_posthog/ack', { for: '_posthog/user_message', id: 3 })
  expect(sent(10)).toMatchObject([{ text: '→ 6 files' }])
})

it('what programs tell beside the conversation is shown: console, artifacts, contents of files, bare output', () => {
  const { texts } = reading()
  expect(texts('_posthog/console', { level: 'info', message: 'installing\n' })).toEqual(['installing'])
  expect(texts('_posthog/console', { level: 'debug', message: 'tick' })).toEqual([])
  const many = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n')
  expect(texts('_posthog/console', { level: 'info', message: many })[0]).toMatch(
    /^… 10 more lines\nline 10\n/,
  )
  expect(texts('_posthog/artifact', { kind: 'plan', content: '1. look' })).toEqual([
    'Artifact: plan',
    '1. look',
  ])
  expect(texts('_posthog/file_content', { path: 'a.txt', content: 'text' })).toEqual([
    'Content of a.txt',
    'text',
  ])
  expect(texts('_posthog/file_content', { path: 'b.txt', missing: true })).toEqual([
    'Content of b.txt',
    'There is no such file.',
  ])
  expect(texts('_posthog/sandbox_output', { stdout: 'ok', stderr: '', exitCode: 1 })).toEqual([
    'ok',
    'It ended with exit code 1.',
  ])
  expect(texts('_posthog/shell', { command: 'ls', id: 'sh' }, web)).toEqual([])
  expect(texts('_posthog/sandbox_output', { stdout: 'of a command', id: 'sh' })).toEqual([])
})

it('output that goes on for long is shown once, also past the part of it that is kept', () => {
  const { texts } = reading()
  const shown = Array.from({ length: 300 }, (_, n) =>
    texts('_posthog/sandbox_output', { stdout: `${`${n} `.padEnd(999, '.')}\n` }),
  )
  expect(shown.map(([text = '', ...more]) => [text.split(' ')[0], more.length])).toEqual(
    shown.map((_, n) => [`${n}`, 0]),
  )
})

it('errors are shown as warnings, and a phase that failed with what went wrong', () => {
  const { take } = reading()
  expect(take('_posthog/error', { message: 'it broke', error: { code: 1 } })).toEqual([
    { as: 'warning', text: 'it broke' },
  ])
  expect(take('_posthog/phase_start', { phase: 'setup' })).toMatchObject([{ as: 'status' }])
  const failed = take('_posthog/phase_complete', { phase: 'setup', ok: false, error: 'npm: not found' })
  expect(failed).toMatchObject([{ text: expect.stringContaining('npm: not found') }])
})

it('words of a user that only the agent tells are shown; what it repeats of a message is not shown twice', () => {
  const { reader, take } = reading()
  reader.saying('fix the bug')
  expect(take('_posthog/user_message', { content: 'fix the bug' }, web)).toEqual([])
  expect(take('user_message_chunk', { text: 'fix the' })).toEqual([])
  expect(take('user_message_chunk', { text: 'from elsewhere' })).toEqual([
    { as: 'line', text: '> from elsewhere' },
  ])
  expect(take('user_message_chunk', { text: ', and more' })).toEqual([{ as: 'line', text: '> , and more' }])
})

describe('what the hub and the sandbox do', () => {
  it.each([
    ['phase_start', { phase: 'provisioning' }, [{ as: 'status', text: 'Creating a sandbox' }]],
    [
      'phase_complete',
      { phase: 'setup', ms: 5, ok: false, error: 'npm: not found\nmore' },
      [{ as: 'warning', text: 'The setup command failed: npm: not found' }],
    ],
    ['phase_complete', { phase: 'checkpointing', ms: 5, ok: true }, []],
    ['status', { status: 'active' }, []],
    ['status', { status: 'failed', reason: 'no room' }, [{ as: 'warning', text: 'The run has failed.' }]],
    ['status', { status: 'queued' }, []],
    ['status', { status: 'queued', reason: 'no room' }, [{ as: 'warning', text: 'Waiting: no room' }]],
    ['status', { status: 'asleep' }, [{ as: 'faint', text: 'Asleep; a message wakes it.' }]],
  ])('%s %j is told as far as it matters to who waits', (method, params, pieces) => {
    expect(reading().take(`_posthog/${method}`, params, hub)).toEqual(pieces)
  })

  it('is told again when it is done, with the time that it took', () => {
    const { take } = reading()
    take('_posthog/phase_start', { phase: 'provisioning' }, hub)
    expect(take('_posthog/phase_complete', { phase: 'provisioning', ms: 1234, ok: true }, hub)).toEqual([
      { as: 'faint', text: 'Sandbox ready after 1.2 s.' },
    ])
  })
})

describe('the end of a question', () => {
  const questionId = 'qst_12345678'
  const options = [
    { optionId: 'yes-1', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no-1', name: 'Reject', kind: 'reject_once' },
  ]
  function asked(isShown: boolean) {
    const one = reading()
    one.take('_posthog/session_start', { generation: 1 }, hub)
    one.take('_posthog/agent_question', {
      questionId,
      question: 'Run `ls`?\nin /tmp',
      kind: 'permission',
      options,
    })
    if (isShown) one.reader.asked(questionId)
    return {
      answering: (answer: unknown) => one.reader.answering(questionId, answer),
      answered: (answer: unknown, more: object = {}, by: Author = web) =>
        void one.take('_posthog/user_response', { questionId, answer, ...more }, by),
      closed: (more: object) => one.texts('_posthog/question_closed', { questionId, ...more }),
    }
  }

  it('names the answer that a user gave elsewhere, and who it was if that is known', () => {
    const ends = asked(true)
    ends.answered('yes-1', { by: 'Ann' })
    // Too late, and without effect.
    ends.answered('no-1', { by: 'Bob' })
    expect(ends.closed({ how: 'answered' })).toEqual(['  Answered: Allow, by Ann.'])
    const unnamed = asked(true)
    unnamed.answered('no-1')
    expect(unnamed.closed({ how: 'answered' })).toEqual(['  Answered: Reject, by the user.'])
  })

  it('is not told to the user who gave the answer, unless another one came first', () => {
    const mine = asked(true)
    mine.answering('yes-1')
    mine.answered('yes-1')
    expect(mine.closed({ how: 'answered' })).toEqual([])
    const late = asked(true)
    late.answering('yes-1')
    late.answered('no-1')
    expect(late.closed({ how: 'answered' })).toEqual(['  Another answer came first: Reject, by the user.'])
  })

  it('says what was asked where that was not seen', () => {
    const ends = asked(false)
    ends.answered({ a: 1 }, {}, { kind: 'channel', id: 'C1' } as Author)
    expect(ends.closed({ how: 'answered' })).toEqual(['? Run `ls`?', '  Answered: a: 1, in a chat (C1).'])
  })

  it.each([
    [{ how: 'answered', answer: 'no-1', by: 'policy:deny', why: 'Denied.' }, '  Denied. (Reject)'],
    [{ how: 'expired', answer: null, by: 'question', why: 'Nobody answered.' }, '  Nobody answered.'],
    [
      { how: 'expired', answer: 'no-1', by: 'question' },
      '  There was no answer in time. “Reject” was taken.',
    ],
    [{ how: 'cancelled' }, '  The question was cancelled.'],
  ])('that no person gave it says why: %j', (closed, line) => {
    expect(asked(true).closed(closed)).toEqual([line])
  })
})
