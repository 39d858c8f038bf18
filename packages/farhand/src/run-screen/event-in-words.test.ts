import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it } from 'vitest'
import { EventsInWords } from './event-in-words.ts'

const event = (method: string, params: Record<string, unknown>) =>
  SeenEvent.parse({
    id: 1,
    type: 'notification',
    timestamp: '2026-11-16T12:00:00.000Z',
    notification: { jsonrpc: '2.0', method, params },
    by: { kind: 'device', id: 'dev_laptop00' },
  })
const shown = (params: Record<string, unknown>) =>
  new EventsInWords().take(event('_posthog/pr_created', params))

const text = (text: string) => ({ type: 'content', content: { type: 'text', text } })
const diff = { type: 'diff', path: 'a.md', oldText: '', newText: 'new\n' }
/** A tool that says at its beginning what it would change, and at its end that it is done. */
const tool = (words: EventsInWords, end: Record<string, unknown>) => {
  words.take(event('tool_call', { toolCallId: 't', title: 'write', status: 'pending', content: [diff] }))
  return (more = () => {}) => {
    more()
    return words.take(
      event('tool_result', { toolCallId: 't', status: 'completed', content: [text('ok')], ...end }),
    )
  }
}

it('a pull request is shown as one, and a branch that was only pushed is not', () => {
  const prUrl = 'https://github.com/ada/tool/pull/7'
  expect(shown({ prUrl })).toEqual([{ as: 'line', text: `Pull request: ${prUrl}` }])
  const pushed = { prUrl: 'https://github.com/ada/tool/compare/x', branch: 'x', opened: false }
  expect(shown(pushed)).toEqual([{ as: 'line', text: `x was pushed: ${pushed.prUrl}` }])
  expect(shown({ prUrl: 7 })).toEqual([])
})

it('what a tool would change is shown when it is done, or before, to whoever is asked for it, and not twice', () => {
  const content = (pieces: readonly unknown[]) =>
    pieces.map((piece) => (piece as { content: unknown }).content)
  const words = new EventsInWords()
  expect(content(tool(words, {})())).toEqual([[diff]])
  expect(words.changesOf('t')).toEqual([])
  const asked = () => expect(words.changesOf('t')).toEqual([diff])
  expect(content(tool(words, {})(asked))).toEqual([[]])
  expect(content(tool(words, { content: [diff] })(asked))).toEqual([[]])
  const other = { ...diff, newText: 'another\n' }
  expect(content(tool(words, { content: [other] })(asked))).toEqual([[other]])
  expect(content(tool(words, { status: 'failed' })())).toEqual([[]])
})

it('what a tool printed comes as a whole, also if it was printed before the tool was over', () => {
  const end = { content: [text('```console\n\n# Stats\nMeans\n```')] }
  expect(tool(new EventsInWords(), end)()).toMatchObject([{ output: ['# Stats', 'Means'] }])
  const words = new EventsInWords()
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', content: [text('one\ntwo')] }
  const printed = () => void words.take(event('session/update', { update }))
  expect(tool(words, { content: null })(printed)).toMatchObject([{ output: ['one', 'two'] }])
})

it('how many files go along is told for changes on the way, not piece by piece for what a run begins with', () => {
  const words = new EventsInWords(true)
  const file = (n: number) => ({ path: `${n}.md`, action: 'deleted' })
  const sent = () =>
    words.take(event('_posthog/file_sync', { files: Array.from({ length: 6 }, (_, n) => file(n)) }))
  expect(sent()).toEqual([])
  expect(words.take(event('_posthog/file_sync', file(7)))).toMatchObject([{ text: '→ 7.md  deleted' }])
  words.take(event('_posthog/ack', { for: '_posthog/user_message', id: 1 }))
  expect(sent()).toMatchObject([{ text: '→ 6 files' }])
})

it('what programs tell beside the conversation is shown: console, artifacts, contents of files, bare output', () => {
  const words = new EventsInWords()
  const texts = (method: string, params: Record<string, unknown>) =>
    words.take(event(method, params)).map((piece) => ('text' in piece ? piece.text : ''))
  expect(texts('_posthog/console', { level: 'info', message: 'installing\n' })).toEqual(['installing'])
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
    'There is no file b.txt.',
  ])
  expect(texts('_posthog/sandbox_output', { stdout: 'ok', stderr: '', exitCode: 1 })).toEqual([
    'ok',
    'It ended with exit code 1.',
  ])
  expect(texts('_posthog/sandbox_output', { stdout: 'of a command', id: 'sh' })).toEqual([])
})

it('errors are shown as warnings, and a phase that failed with what went wrong', () => {
  const words = new EventsInWords()
  const take = (method: string, params: Record<string, unknown>) => words.take(event(method, params))
  expect(take('_posthog/error', { message: 'it broke', error: { code: 1 } })).toEqual([
    { as: 'warning', text: 'it broke' },
  ])
  expect(take('_posthog/phase_start', { phase: 'setup' })).toMatchObject([{ as: 'status' }])
  const failed = take('_posthog/phase_complete', { phase: 'setup', ok: false, error: 'npm: not found' })
  expect(failed).toMatchObject([{ text: expect.stringContaining('npm: not found') }])
})

it('words of a user that only the agent tells are shown; what it repeats of a message is not shown twice', () => {
  const words = new EventsInWords()
  words.saying('fix the bug')
  expect(words.take(event('_posthog/user_message', { content: 'fix the bug' }))).toEqual([])
  expect(words.take(event('user_message_chunk', { text: 'fix the' }))).toEqual([])
  expect(words.take(event('user_message_chunk', { text: 'from elsewhere' }))).toEqual([
    { as: 'line', text: '> from elsewhere' },
  ])
})
