import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { testContext } from '../context/command-context-under-test.ts'
import { textRunScreen } from '../run-screen/run-screen.ts'
import { CatchUp, showCatchUp } from './catch-up.ts'

const event = (id: number, method: string, params: Record<string, unknown>): SeenEvent => ({
  id,
  type: 'notification',
  timestamp: '2030-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: { kind: 'runner', generation: 1 },
})
const asks = (id: number, content: string) => event(id, '_posthog/user_message', { content })
const says = (id: number, text: string) => event(id, 'agent_message_chunk', { text })
const ends = (id: number) => event(id, '_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' })
const begins = (id: number) => event(id, 'tool_call', { toolCallId: 't', title: 'Run `make`' })
const done = (id: number) => event(id, 'tool_result', { toolCallId: 't', status: 'completed' })

/** A first turn, and a second one in which a tool is used. */
const log = [
  asks(1, 'the first'),
  says(2, 'one\n'),
  ends(3),
  asks(4, 'fix the test\nplease'),
  says(5, 'I look '),
  says(6, 'at it.\nThen more.\n'),
  begins(7),
  done(8),
  says(9, 'Done.\n'),
  ends(10),
]

/** What somebody reads who has looked up to this event. */
function read(lookedAt: number | null, events = log) {
  const catchUp = new CatchUp(lookedAt)
  for (const one of events) catchUp.take(one, one.notification.method === '_posthog/user_message')
  const shown: string[] = []
  const context = testContext({ out: (text) => shown.push(text), note: (text) => shown.push(text) })
  const screen = textRunScreen(context, () => null)
  showCatchUp(catchUp, screen)
  screen.close()
  return shown.join('')
}

const second = 'I look at it.\nThen more.\n✓ Run `make`\nDone.\n'

describe('who comes to a run', () => {
  it('is shown its newest turn if they have never looked', () => {
    expect(read(null)).toBe(`> fix the test\nplease\n${second}`)
  })

  it('is shown what is new, after a reminder of what they have seen', () => {
    expect(read(3)).toBe(`… > the first\n… one\n> fix the test\nplease\n${second}`)
    expect(read(8)).toBe('… > fix the test …\n… I look at it. …\nDone.\n')
  })

  it('is shown nothing twice: who has seen all of it is only reminded', () => {
    expect(read(10)).toBe('… > fix the test …\n… Done.\n')
  })

  it('reads what an agent was saying when they left from its beginning, and knows what a tool was about', () => {
    expect(read(5)).toBe(`… > fix the test …\n${second}`)
    expect(read(7)).toBe('… > fix the test …\n… I look at it. …\n✓ Run `make`\nDone.\n')
  })

  it('is shown every turn that they have missed', () => {
    const third = [asks(11, 'and again'), says(12, 'Again.\n'), ends(13)]
    expect(read(4, [...log, ...third])).toBe(`… > fix the test …\n${second}> and again\nAgain.\n`)
  })

  it('is told that it is only the end, where more has happened than anybody would scroll through', () => {
    const long = Array.from({ length: 11_000 }, (_, nth) =>
      says(11 + nth, nth % 1000 === 0 ? `${nth}\n` : '.'),
    )
    const words = '… Too much has happened to show all of it: this is the end.\n'
    expect(read(10, [...log, ...long])).toContain(`… > fix the test …\n${words}6000\n.`)
    expect(read(null, [...log, ...long])).toContain(`${words}6000\n.`)
    // What is too old for that was a turn that nobody has to be shown.
    expect(read(null, [...log, ...long, asks(20_000, 'and again'), says(20_001, 'Yes.\n')])).toBe(
      '> and again\nYes.\n',
    )
  })

  it('is shown the newest turn by a hub that has not got as far as they have looked', () => {
    expect(read(99)).toBe(`> fix the test\nplease\n${second}`)
  })
})
