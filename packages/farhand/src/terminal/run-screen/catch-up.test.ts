import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { textRunScreen } from './run-screen.ts'

const event = (id: number, method: string, params: Record<string, unknown>): SeenEvent => ({
  id,
  type: 'notification',
  timestamp: '2030-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: { kind: 'runner', generation: 1 },
})
const asks = (id: number, content: string) => event(id, '_posthog/user_message', { content })
const says = (id: number, text: string) => event(id, 'agent_message_chunk', { text })
const begins = (id: number, messageId: number) =>
  event(id, '_posthog/ack', { for: 'user_message', id: messageId })
const ends = (id: number, messageId: number) =>
  event(id, '_posthog/turn_complete', { messageId, stopReason: 'end_turn' })
const makes = (id: number) => event(id, 'tool_call', { toolCallId: 't', title: 'Run `make`' })
const made = (id: number) => event(id, 'tool_result', { toolCallId: 't', status: 'completed' })

/** A first turn, and a second one in which a tool is used. */
const log = [
  asks(1, 'the first'),
  begins(2, 1),
  says(3, 'one\n'),
  ends(4, 1),
  asks(5, 'fix the test\nplease'),
  begins(6, 5),
  says(7, 'I look '),
  says(8, 'at it.\nThen more.\n'),
  makes(9),
  made(10),
  says(11, 'Done.\n'),
  ends(12, 5),
]

/** What a user reads who has looked up to this event. */
function read(lookedAt: number | null, events = log) {
  const shown: string[] = []
  const context = testContext({ out: (text) => shown.push(text), note: (text) => shown.push(text) })
  const screen = textRunScreen(context, () => null, false, lookedAt)
  for (const one of events) screen.past(one, one.notification.method === '_posthog/user_message')
  screen.present()
  screen.close()
  return shown.join('')
}

const second = 'I look at it.\nThen more.\n✓ Run `make`\nDone.\n'

describe('who comes to a run', () => {
  it('is shown its newest turn if they have never looked', () => {
    expect(read(null)).toBe(`> fix the test\nplease\n${second}`)
  })

  it('is shown what is new, after a reminder of what they have seen', () => {
    expect(read(4)).toBe(`… > the first\n… one\n> fix the test\nplease\n${second}`)
    expect(read(10)).toBe('… > fix the test …\n… I look at it. …\nDone.\n')
  })

  it('is shown nothing twice: who has seen all of it is only reminded', () => {
    expect(read(12)).toBe('… > fix the test …\n… Done.\n')
  })

  it('reads what an agent was saying when they left from its beginning, and knows what a tool was about', () => {
    expect(read(7)).toBe(`… > fix the test …\n${second}`)
    expect(read(9)).toBe('… > fix the test …\n… I look at it. …\n✓ Run `make`\nDone.\n')
  })

  it('is shown the same by a reader that did not get the event at which they left', () => {
    const without = (id: number) => log.filter((one) => one.id !== id)
    expect(read(6, without(6))).toBe(`… > fix the test …\n${second}`)
    expect(read(2, without(2))).toBe(`… > the first\none\n> fix the test\nplease\n${second}`)
  })

  it('is shown every turn that they have missed', () => {
    const third = [asks(13, 'and again'), begins(14, 13), says(15, 'Again.\n'), ends(16, 13)]
    expect(read(6, [...log, ...third])).toBe(`… > fix the test …\n${second}> and again\nAgain.\n`)
  })

  it('is told that it is only the end, where more has happened than a user would scroll through', () => {
    const lines = Array.from({ length: 30_000 }, (_, nth) => says(13 + nth, `${nth} ....\n`))
    const words = '… Too much has happened to show all of it: this is the end.\n'
    const shown = read(12, [...log, ...lines])
    expect(shown.startsWith(`… > fix the test …\n${words}`)).toBe(true)
    expect(shown.length).toBeLessThan(110_000)
    expect(shown.endsWith('29998 ....\n29999 ....\n')).toBe(true)
    expect(read(null, [...log, ...lines]).startsWith(words)).toBe(true)
    // What is too old for that was a turn that need not be shown.
    const next = [asks(50_000, 'and again'), begins(50_001, 50_000), says(50_002, 'Yes.\n')]
    expect(read(null, [...log, ...lines, ...next])).toBe('> and again\nYes.\n')
  })

  it('is shown the newest turn by a hub that has not got as far as they have looked', () => {
    expect(read(99)).toBe(`> fix the test\nplease\n${second}`)
  })
})
