import { expect, it } from 'vitest'
import { unfinishedTools } from './drill-round.ts'

const update = (toolCallId: string, status?: string) => ({
  method: 'session/update',
  params: { update: { sessionUpdate: 'tool_call_update', toolCallId, ...(status && { status }) } },
})

it('a tool that was begun and never ended is found, even if others ran beside it', () => {
  const events = [update('a', 'pending'), update('b', 'in_progress'), update('a'), update('b', 'completed')]
  expect(unfinishedTools(events)).toEqual(['a'])
})

it.each(['completed', 'failed'])('a tool that %s has ended', (status) => {
  expect(unfinishedTools([update('a', 'in_progress'), update('a', status)])).toEqual([])
})

it('a tool that says something after its end runs again', () => {
  expect(unfinishedTools([update('a', 'failed'), update('a', 'in_progress')])).toEqual(['a'])
})

it('a tool of the short form of a log ends with its result', () => {
  const call = { method: 'tool_call', params: { toolCallId: 'a', toolName: 'bash' } }
  const result = { method: 'tool_result', params: { toolCallId: 'a' } }
  expect(unfinishedTools([call])).toEqual(['a'])
  expect(unfinishedTools([call, result])).toEqual([])
})

it('what is said about a run by its hub is no tool', () => {
  const question = { method: '_posthog/permission_request', params: { toolCallId: 'a' } }
  expect(unfinishedTools([question])).toEqual([])
})
