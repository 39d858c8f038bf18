import { SeenEvent } from '@farhand/protocol/seen-event'
import { expect, it } from 'vitest'
import { EventsInWords } from './event-in-words.ts'

const shown = (params: Record<string, unknown>) =>
  new EventsInWords().take(
    SeenEvent.parse({
      id: 1,
      type: 'notification',
      timestamp: '2026-11-16T12:00:00.000Z',
      notification: { jsonrpc: '2.0', method: '_posthog/pr_created', params },
      by: { kind: 'device', id: 'dev_laptop00' },
    }),
  )

it('a pull request is shown as one, and a branch that was only pushed is not', () => {
  const prUrl = 'https://github.com/ada/tool/pull/7'
  expect(shown({ prUrl })).toEqual([{ as: 'line', text: `Pull request: ${prUrl}` }])
  const pushed = { prUrl: 'https://github.com/ada/tool/compare/x', branch: 'x', opened: false }
  expect(shown(pushed)).toEqual([{ as: 'line', text: `x was pushed: ${pushed.prUrl}` }])
  expect(shown({ prUrl: 7 })).toEqual([])
})
