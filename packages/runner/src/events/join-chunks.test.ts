import type { Notification } from '@farhand/protocol/wire/event'
import { Dice } from '@farhand/testkit/dice'
import { describe, expect, it } from 'vitest'
import { entriesIn } from './entries-stored.ts'
import { joinChunks } from './join-chunks.ts'

const chunk = (text: string, messageId?: string, method = 'agent_message_chunk'): Notification => ({
  jsonrpc: '2.0',
  method,
  params: { text, ...(messageId !== undefined && { messageId }) },
})
const tool: Notification = { jsonrpc: '2.0', method: 'tool_call', params: { toolCallId: 't1' } }
const joined = (...events: Notification[]) => joinChunks(events).map(({ event }) => event)

describe('chunks that wait together', () => {
  it('W28 become one if they are of one message, and say how many they were', () => {
    expect(joinChunks([chunk('He', 'm1'), chunk('ll', 'm1'), chunk('o', 'm1')])).toEqual([
      {
        event: {
          jsonrpc: '2.0',
          method: 'agent_message_chunk',
          params: { text: 'Hello', messageId: 'm1', joined: 3 },
        },
        entries: 3,
      },
    ])
  })

  it('W28 stay as they are if there is but one', () => {
    expect(joined(chunk('Hello', 'm1'))).toEqual([chunk('Hello', 'm1')])
  })

  it.each([
    ['of another message', chunk('b', 'm2')],
    ['of no message that has a name', chunk('b')],
    ['a thought', chunk('b', 'm1', 'agent_thought_chunk')],
    [
      'more than text',
      { ...chunk('b', 'm1'), params: { text: '', messageId: 'm1', content: { type: 'image' } } },
    ],
    ['one with unknown fields', { ...chunk('b'), params: { text: 'b', messageId: 'm1', _meta: {} } }],
  ])('W28 stay apart if the next one is %s', (_, next) => {
    expect(joined(chunk('a', 'm1'), next)).toEqual([chunk('a', 'm1'), next])
  })

  it('W28 stay apart if something was said in between', () => {
    const said = [chunk('a', 'm1'), tool, chunk('b', 'm1')]
    expect(joined(...said)).toEqual(said)
  })

  it('W28 grow to no more than an event that needs no blob, with any characters in them', () => {
    const dice = new Dice(7)
    const said = Array.from({ length: 4000 }, () => chunk('\u0000'.repeat(dice.between(1, 300)), 'm1'))
    const events = joined(...said)
    expect(events.length).toBeLessThan(40)
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(256 * 1024)
    expect(events.map(({ params }) => params!.text).join('')).toBe(
      said.map(({ params }) => params!.text).join(''),
    )
    expect(events.reduce((sum, event) => sum + entriesIn(event), 0)).toBe(said.length)
  })

  it('W28 leaves a chunk that is larger than that alone', () => {
    const large = chunk('x'.repeat(100_000), 'm1')
    expect(joined(chunk('a', 'm1'), large, chunk('b', 'm1'))).toEqual([
      chunk('a', 'm1'),
      large,
      chunk('b', 'm1'),
    ])
  })
})
