import { type Line, runner, sampleHash, web } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { itemsOf, told } from './story-under-test.ts'

it('a rename is one, also if its two halves are told apart and something else happens in between', () => {
  const change = (path: string, rest: object): Line => [runner, '_posthog/file_change', { path, ...rest }]
  const made = { action: 'created', hash: sampleHash('a'), size: 1 }
  const tool = (toolCallId: string): Line => [runner, 'tool_call', { toolCallId, title: 'x' }]
  const log = [
    change('draft.md', made),
    tool('a'),
    change('final.md', made),
    tool('b'),
    change('draft.md', { action: 'deleted' }),
  ]
  expect(itemsOf(told(...log), 'files').map(({ files }) => files)).toEqual([
    [{ path: 'draft.md', action: 'created' }],
    [{ path: 'final.md', action: 'renamed', from: 'draft.md' }],
  ])
})

it('of many files with the same contents, those told apart are renamed in their order, and each only once', () => {
  const change = (path: string, rest: object): Line => [runner, '_posthog/file_change', { path, ...rest }]
  const made = { action: 'created', hash: sampleHash('a'), size: 1 }
  const other = { action: 'modified', hash: sampleHash('b'), size: 1 }
  const gone = { action: 'deleted' }
  const tool: Line = [runner, 'tool_call', { toolCallId: 'a', title: 'x' }]
  const log: Line[] = [
    ...['old 1', 'old 2', 'old 3'].map((path) => change(path, made)),
    [web, '_posthog/user_message', { content: 'move them' }],
    [runner, '_posthog/ack', { for: '_posthog/user_message', id: 4 }],
    ...['new 1', 'new 2', 'new 3'].map((path) => change(path, made)),
    tool,
    // Its contents are others for a while.
    change('new 1', other),
    change('new 1', { ...made, action: 'modified' }),
    tool,
    ...['old 1', 'old 2', 'old 3'].map((path) => change(path, gone)),
  ]
  expect(itemsOf(told(...log), 'files').map(({ files }) => files)).toEqual([
    ['old 1', 'old 2', 'old 3'].map((path) => ({ path, action: 'created' })),
    [1, 2, 3].map((n) => ({ path: `new ${n}`, action: 'renamed', from: `old ${n}` })),
    [{ path: 'new 1', action: 'modified' }],
  ])
})
