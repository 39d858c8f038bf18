import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hub, type Line, runner, sampleLog, web } from '../events/sample-log.ts'
import type { StoredEvent } from '../wire/event.ts'
import { ConversationEvents } from './conversation-events.ts'

const folded = (events: readonly StoredEvent[]) => {
  const place = new ConversationEvents()
  for (const event of events) place.take(event)
  return place
}

const idsIn = (place: ConversationEvents, upTo: number) =>
  Array.from({ length: upTo }, (_, index) => index + 1).filter((id) => place.has(id))

const say: Line = [web, '_posthog/message_edit', { messageId: 1, content: 'x' }]
const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]

const toldBy = (...lines: Line[]) => idsIn(folded(sampleLog(...lines)), lines.length)

describe('the place of a conversation', () => {
  it('W39 is the whole log until a user rewinds it', () => {
    expect(toldBy(say, say, say)).toEqual([1, 2, 3])
  })

  it('W39 what was said between an event and the rewind to it is no part of it', () => {
    expect(toldBy(say, say, say, rewind(1), say)).toEqual([1, 5])
  })

  it('W39 a rewind to the event before another one undoes it', () => {
    expect(toldBy(say, say, say, rewind(1), say, rewind(3), say)).toEqual([1, 2, 3, 7])
  })

  it('W39 a rewind into what was taken away brings back what could be seen there', () => {
    const lines = [say, say, say, rewind(1), say, say, rewind(2), say, rewind(5), say]
    expect(toldBy(...lines)).toEqual([1, 5, 10])
  })

  it('W27 a rewind to a later event is ignored', () => {
    expect(toldBy(say, rewind(2), say, rewind(9))).toEqual([1, 2, 3, 4])
  })

  it('W39 the last words of a turn that was under way are no part of what comes after', () => {
    const lines: Line[] = [
      [hub, '_posthog/session_start', { generation: 1 }],
      [web, '_posthog/user_message', { content: 'a' }],
      [runner, '_posthog/ack', { for: 'user_message', id: 2 }],
      [web, '_posthog/user_message', { content: 'waits' }],
      rewind(1),
      [runner, 'agent_message_chunk', { text: 'late' }],
      [web, '_posthog/user_message', { content: 'not late' }],
      [runner, '_posthog/turn_complete', { messageId: 2, stopReason: 'cancelled' }],
      [runner, '_posthog/ack', { for: 'user_message', id: 4 }],
    ]
    expect(toldBy(...lines)).toEqual([1, 7, 9])
  })

  it('W39 every rewind, however nested, shows what could be seen at its event', () => {
    const log = fc.array(fc.option(fc.nat({ max: 60 }), { nil: null }), { maxLength: 60 })
    fc.assert(
      fc.property(log, (steps) => {
        const seen: number[][] = [[]]
        const lines = steps.map((step, index): Line => {
          const id = index + 1
          const to = step === null ? null : (step % id) + 1
          const isBack = to !== null && to < id
          seen.push(isBack ? seen[to]! : [...seen[index]!, id])
          return isBack ? rewind(to) : say
        })
        const place = folded(sampleLog(...lines))
        const asOf = (end: number) => lines.map((_, index) => index + 1).filter((id) => place.has(id, end))
        for (let end = 1; end <= lines.length; end += 1) expect(asOf(end)).toEqual(seen[end])
      }),
      { numRuns: 200 },
    )
  })
})
