import type { StoredEvent } from '@farhand/protocol/wire/event'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  areAsWritten,
  decodeLine,
  encodeLine,
  endOfNotification,
  idOfLine,
  isByRunner,
  notificationOffset,
} from './stored-line.ts'

const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(',"by":', '","by":{"kind":"runner', '\n', '\\', '"', '\u2028', '\ud800', 'r'),
)
const params = fc.dictionary(fc.oneof(nasty, fc.constant('by')), fc.oneof(nasty, fc.jsonValue()))
const author = fc.oneof(
  fc.record({ kind: fc.constant('runner' as const), generation: fc.integer({ min: 1 }) }),
  fc.record({ kind: fc.constantFrom('device' as const, 'web' as const, 'channel' as const), id: nasty }),
  fc.constant({ kind: 'hub' as const }),
)
const stamp = fc.record({ id: nasty, epoch: fc.nat(), seq: fc.nat() })
const event: fc.Arbitrary<StoredEvent> = fc
  .record(
    {
      id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      type: fc.constant('notification' as const),
      timestamp: fc
        .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      notification: fc.record({ jsonrpc: fc.constant('2.0' as const), method: nasty, params }),
      by: author,
      producer: stamp,
      key: fc.record({ key: nasty, body: nasty }),
    },
    { requiredKeys: ['id', 'type', 'timestamp', 'notification', 'by'] },
  )
  .map((made) => JSON.parse(JSON.stringify(made)))

describe('a stored line', () => {
  it('W4 reads back as the event it was made from', () => {
    fc.assert(
      fc.property(event, (made) => {
        const line = encodeLine(made)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(decodeLine(line.slice(0, -1))).toEqual(made)
      }),
    )
  })

  it('W53 that was changed anywhere is not taken for the one that was written; one of an older hub has no sum', () => {
    fc.assert(
      fc.property(event, fc.nat(), fc.integer({ min: 1, max: 255 }), (made, where, change) => {
        const line = Buffer.from(encodeLine(made))
        expect(areAsWritten(line)).toBe(true)
        const older = `${line.toString('utf8', 0, line.lastIndexOf(',"sum":'))}}`
        expect(decodeLine(older)).toEqual(made)
        expect(areAsWritten(Buffer.from(`${older}\n`))).toBe(true)
        // The sum covers neither its own name nor the line feed.
        const at = where % line.lastIndexOf(',"sum":')
        line[at]! ^= change
        if (line[at] === 0x0a) return
        expect(areAsWritten(line)).toBe(false)
        expect(decodeLine(line.toString('utf8', 0, line.length - 1))).toBeNull()
      }),
    )
  })

  it('W17 gives its notification, id and author without being parsed, with any content', () => {
    fc.assert(
      fc.property(event, (made) => {
        const line = Buffer.from(encodeLine(made))
        const end = endOfNotification(line, line.length - 1)
        const start = line.indexOf(',') + notificationOffset
        expect(line.toString('utf8', start, end)).toBe(JSON.stringify(made.notification))
        expect(idOfLine(line, 0)).toBe(made.id)
        expect(isByRunner(line, end)).toBe(made.by.kind === 'runner')
      }),
    )
  })

  it('W6 is not made out of damaged bytes', () => {
    const line = encodeLine({
      id: 7,
      type: 'notification',
      timestamp: new Date(0).toISOString(),
      notification: { jsonrpc: '2.0', method: '_test/said' },
      by: { kind: 'hub' },
    }).slice(0, -1)
    for (let length = 0; length < line.length; length += 1)
      expect(decodeLine(line.slice(0, length))).toBeNull()
    for (const other of [
      'null',
      '7',
      '{}',
      '[]',
      '{"id":7}',
      line.replace('"method"', '"other"'),
      `\0${line}`,
    ]) {
      expect(decodeLine(other)).toBeNull()
    }
    for (const other of ['', '{', '{"id":', '{"id":7', '{"no":7,', 'x"id":7,']) {
      expect(idOfLine(Buffer.from(other), 0)).toBe(0)
    }
  })
})
