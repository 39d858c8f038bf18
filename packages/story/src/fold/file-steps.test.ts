import { type Line, runner, sampleHash } from '@farhand/protocol/events/sample-log'
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
