import { describe, expect, it } from 'vitest'
import { events, methods } from '../methods/methods.ts'
import { wireName } from '../wire/wire-names.ts'
import { event, eventName, eventsNamed, isEvent } from './event-names.ts'

describe('the names of events', () => {
  it('each has one name in the code and one on the wire', () => {
    const names = Object.keys(events)
    expect(names.map((name) => eventName(wireName(name)))).toEqual(names)
    expect(Object.keys(methods)).toEqual(names.map(wireName))
    expect([wireName('ack'), wireName('tool_call')]).toEqual(['_posthog/ack', 'tool_call'])
  })

  it('W15 a method that is not in the table is unknown, even if its name looks like ours', () => {
    // Every author may send these, and only runners may send those that they look like.
    for (const method of ['_posthog/tool_call', '_posthog/session/update', '_mine/ack', 'ack', '__proto__']) {
      expect(isEvent({ method }, 'tool_call', 'session/update', 'ack')).toBe(false)
      expect(eventsNamed('tool_call', 'session/update', 'ack')({ method })).toBe(false)
    }
  })

  it('is told apart by any of several names', () => {
    const said = event('cancel', {})
    expect(said).toEqual({ jsonrpc: '2.0', method: '_posthog/cancel', params: {} })
    expect([isEvent(said, 'close', 'cancel'), isEvent(said, 'close')]).toEqual([true, false])
    expect(eventsNamed('close', 'cancel')(said)).toBe(true)
  })
})
