import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { TurnEvents } from './turn-events.ts'

const event = (method: string, params: Record<string, unknown> = {}): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})
const ack = (id: number) => event('_posthog/ack', { id })
const over = (messageId: number) => event('_posthog/turn_complete', { messageId })

const room = { mostBytes: 1000, onRoom: () => {} }

describe('TurnEvents', () => {
  it('gives events that came before reading began, and none of other turns', async () => {
    const events = new TurnEvents(2, room)
    const own = [ack(2), event('said'), over(2)]
    for (const one of [ack(1), over(1), ...own, ack(3)]) events.take(one)
    const read: Notification[] = []
    for await (const one of events.read()) read.push(one)
    expect(read).toEqual(own)
  })

  it('gives what there is before it says why there is no more', async () => {
    const events = new TurnEvents(2, room)
    const read: Notification[] = []
    const reading = (async () => {
      for await (const one of events.read()) read.push(one)
    })()
    events.take(ack(2))
    events.fail(new Error('it broke'))
    await expect(reading).rejects.toThrow('it broke')
    expect(read).toEqual([ack(2)])
  })

  it('is full of unread events, and says when half of them were read', async () => {
    let rooms = 0
    const events = new TurnEvents(2, { mostBytes: 1000, onRoom: () => (rooms += 1) })
    const said = Array.from({ length: 10 }, () => event('said', { text: 'x'.repeat(150) }))
    for (const one of [ack(2), ...said]) events.take(one)
    const reading = events.read()
    const seen: [boolean, number][] = []
    while (seen.length < 11) {
      await reading.next()
      seen.push([events.isFull, rooms])
    }
    expect(seen.filter(([isFull]) => isFull)).toHaveLength(8)
    expect(seen.filter(([isFull]) => isFull).every(([, rooms]) => rooms === 0)).toBe(true)
    expect(seen.at(-1)).toEqual([false, 1])
  })
})
