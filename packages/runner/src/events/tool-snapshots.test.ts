import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { ToolSnapshots } from './tool-snapshots.ts'

const update = (more: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { update: { sessionUpdate: 'tool_call_update', toolCallId: 'one', ...more } },
})
const other = (method: string, params = {}): Notification => ({ jsonrpc: '2.0', method, params })
const input = (text: string) => update({ status: 'in_progress', rawInput: { text } })

describe('states of a tool that is not over', () => {
  it('are told at once after a pause, and at a pace when they come fast: the last, with all that was in those before', () => {
    const snapshots = new ToolSnapshots()
    expect(snapshots.take(input('a'), 0)).toEqual([input('a')])
    expect(snapshots.take(update({ title: 'Write', rawInput: { text: 'ab' } }), 1)).toEqual([])
    expect(snapshots.take(input('abc'), 2)).toEqual([])
    expect(snapshots.dueMs).toBeGreaterThan(2)
    const joined = update({ title: 'Write', status: 'in_progress', rawInput: { text: 'abc' } })
    expect(snapshots.release(20)).toEqual([joined])
    expect(snapshots.dueMs).toBeNull()
  })

  it('that grow word by word to many megabytes are told for little more than their length', () => {
    const snapshots = new ToolSnapshots()
    const told: Notification[] = []
    let text = ''
    // 8 MB in 8 s, told again from the beginning every 80 ms: 400 MB in all.
    for (let nowMs = 0; nowMs < 8000; nowMs += 80) {
      text += 'x'.repeat(80_000)
      told.push(...snapshots.take(input(text), nowMs))
    }
    told.push(...snapshots.take(other('tool_result', { toolCallId: 'one', status: 'completed' }), 8000))
    expect(JSON.stringify(told).length).toBeLessThan(4 * 8_000_000)
    expect(told.at(-2)).toEqual(input(text))
  })

  it('are no more in memory than a bound, of however many tools', () => {
    const snapshots = new ToolSnapshots()
    const large = { rawInput: { text: 'x'.repeat(1_000_000) } }
    const told = Array.from({ length: 40 }, (_, nth) =>
      snapshots.take(update({ toolCallId: `tool ${nth}`, ...large }), 0),
    )
    expect(told.flat().length).toBeGreaterThan(20)
  })

  it.each([
    ['the end of a tool', other('tool_result', { toolCallId: 'one' })],
    ['a question', other('_posthog/agent_question', { questionId: 'qst_00000001', question: '?' })],
    ['the end of the turn', other('_posthog/turn_complete', { messageId: 1 })],
    ['an update with a field that only its agent knows', update({ _meta: { more: 'output' } })],
    ['an update that says that there is nothing', update({ content: null })],
  ])('are told before %s', (_, event) => {
    const snapshots = new ToolSnapshots()
    snapshots.take(input('a'), 0)
    snapshots.take(input('ab'), 1)
    expect(snapshots.take(event, 2)).toEqual([input('ab'), event])
  })

  it('of several tools are told beside each other, and hold up nothing that is said meanwhile', () => {
    const snapshots = new ToolSnapshots()
    const two = (text: string) => update({ toolCallId: 'two', rawInput: { text } })
    snapshots.take(input('a'), 0)
    for (const text of ['b', 'bc'])
      for (const event of [input(text), two(text)]) expect(snapshots.take(event, 1)).toEqual([])
    const chunk = other('agent_message_chunk', { text: 'meanwhile' })
    expect(snapshots.take(chunk, 2)).toEqual([chunk])
    expect(snapshots.release(3)).toEqual([input('bc'), two('bc')])
  })
})
