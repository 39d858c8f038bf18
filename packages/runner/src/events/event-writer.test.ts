import type { Notification } from '@farhand/protocol/wire/event'
import { expect, it } from 'vitest'
import { EventWriter } from './event-writer.ts'
import { Redaction } from './redaction.ts'

/** A writer, and what it does in order; its sender numbers what is said, and is full with the `room`th. */
function speaking(room = 100) {
  const told: string[] = []
  const textOf = ({ params }: Notification) => String(params?.text)
  let said = 0
  const sender = {
    send(event: Notification) {
      told.push(`said ${textOf(event)}`)
      return said++
    },
    async stored(entry: number) {
      told.push(`stored up to ${entry}`)
    },
    get isFull() {
      return said >= room
    },
  }
  const writer = new EventWriter({
    redaction: new Redaction([{ name: 'KEY', value: 'hunter2-hunter2' }]),
    takeOwn: (event) => told.push(`knows ${textOf(event)}`),
    pauseReading: () => told.push('held'),
  })
  const say = (text: string) => writer.emit({ jsonrpc: '2.0', method: '_posthog/console', params: { text } })
  return { told, writer, sender, say }
}

it('the runner itself handles its own events, without secrets, before they are sent', () => {
  const { told, writer, sender, say } = speaking()
  writer.open(sender)
  say('the key is hunter2-hunter2')
  expect(told).toHaveLength(2)
  expect(told.join()).not.toContain('hunter2')
  expect(told.map((line) => line.split(' ')[0])).toEqual(['knows', 'said'])
})

it('the agent is paused as soon as there is no more room', () => {
  const { told, writer, sender, say } = speaking(2)
  writer.open(sender)
  say('one')
  expect(told).not.toContain('held')
  say('two')
  expect(told.at(-1)).toBe('held')
})

it('waits for the last event, and for nothing if there was none', async () => {
  const { told, writer, sender, say } = speaking()
  writer.open(sender)
  await writer.stored()
  expect(told).toEqual([])
  say('one')
  say('two')
  await writer.stored()
  expect(told.at(-1)).toBe('stored up to 1')
})
