import { describe, expect, it } from 'vitest'
import { hub, type Line, runner, sampleLog, web } from '../events/sample-log.ts'
import { foldRunView } from './fold-run-view.ts'
import { emptyRunView } from './run-view.ts'

const after = (...lines: Line[]) => sampleLog(...lines).reduce(foldRunView, emptyRunView)
const start: Line = [hub, '_posthog/session_start', { generation: 1, sandboxId: 'sbx' }]
const message: Line = [web, '_posthog/user_message', { content: 'hi' }]
const ack = (id: number): Line => [runner, '_posthog/ack', { for: 'user_message', id }]

describe('a rewind', () => {
  const turn = (stopReason: string): Line => [runner, '_posthog/turn_complete', { messageId: 2, stopReason }]
  const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]

  it('W39 takes back how the last turn ended, and not that there was one', () => {
    const failed = [start, message, ack(2), turn('failed')]
    expect(after(...failed)).toMatchObject({ turns: 1, stopReason: 'failed' })
    expect(after(...failed, rewind(1))).toMatchObject({ turns: 1, stopReason: null })
  })

  it('W39 goes back to how the turn before ended, is undone by another one, and that by a third', () => {
    const later: Line = [runner, '_posthog/turn_complete', { messageId: 5, stopReason: 'failed' }]
    const two = [start, message, ack(2), turn('end_turn'), message, ack(5), later]
    expect(after(...two, rewind(4)).stopReason).toBe('end_turn')
    expect(after(...two, rewind(4), rewind(7)).stopReason).toBe('failed')
    expect(after(...two, rewind(4), rewind(7), rewind(8)).stopReason).toBe('end_turn')
  })

  it('W39 finds how a turn ended however many came after it', () => {
    const turns = (count: number, stopReason: string, from: number): Line[] =>
      Array.from({ length: count }, (_, nth) => from + 3 * nth).flatMap((messageId): Line[] => [
        message,
        ack(messageId),
        [runner, '_posthog/turn_complete', { messageId, stopReason }],
      ])
    const many = [start, ...turns(1, 'failed', 2), ...turns(300, 'end_turn', 5)]
    expect(after(...many, rewind(4)).stopReason).toBe('failed')
    expect(after(...many, rewind(4), rewind(904)).stopReason).toBe('end_turn')
    expect(after(...many, rewind(7)).stopReason).toBe('end_turn')
    expect(after(...many, rewind(1)).stopReason).toBeNull()
  })

  it('W39 leaves a view that is small, however often the turns of a run end in another way', () => {
    const other = (nth: number): Line[] => [
      message,
      ack(2 + 3 * nth),
      [runner, '_posthog/turn_complete', { messageId: 2 + 3 * nth, stopReason: `${nth}` }],
    ]
    const { ends } = after(start, ...Array.from({ length: 500 }, (_, nth) => other(nth)).flat())
    expect(ends).toHaveLength(200)
    expect(ends.at(-1)).toEqual({ eventId: 1501, stopReason: '499' })
  })

  it('W39 to a later event changes nothing', () => {
    expect(after(start, message, ack(2), turn('failed'), rewind(9)).stopReason).toBe('failed')
  })
})
