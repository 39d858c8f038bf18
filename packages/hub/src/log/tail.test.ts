import { hub } from '@farhand/protocol/events/sample-log'
import { beforeEach, describe, expect, it } from 'vitest'
import { chunkOf } from './log-chunk.ts'
import { encodeLine } from './stored-line.ts'
import { Tail } from './tail.ts'

const lineOf = (id: number) =>
  encodeLine({
    id,
    type: 'notification',
    timestamp: '2026-01-01T00:00:00.000Z',
    notification: { jsonrpc: '2.0', method: '_test/said' },
    by: hub,
  })
const chunk = (...ids: number[]) => chunkOf(Buffer.from(ids.map(lineOf).join('')))
const lineBytes = lineOf(1).length

describe('the tail', () => {
  let tail: Tail
  beforeEach(() => {
    tail = new Tail(8 * lineBytes)
    tail.push(chunk(1, 2))
    tail.push(chunk(3))
    tail.push(chunk(4, 5, 6))
  })

  it('joins the flushes behind a reader, up to the size it asked for', () => {
    expect(tail.after(0, 1000 * lineBytes)).toEqual(chunk(1, 2, 3, 4, 5, 6))
    expect(tail.after(0, 4 * lineBytes)).toEqual(chunk(1, 2, 3))
    expect(tail.after(1, 1000 * lineBytes)).toEqual(chunk(2, 3, 4, 5, 6))
    expect(tail.after(4, lineBytes)).toEqual(chunk(5))
    expect(tail.after(4, 1)).toEqual(chunk(5))
  })

  it('gives the same object to all readers that get the same lines, even if they asked for different sizes', () => {
    expect(tail.after(1, 100 * lineBytes)).toBe(tail.after(1, 200 * lineBytes))
    expect(tail.after(0, 4 * lineBytes)).toBe(tail.after(0, 4 * lineBytes))
    expect(tail.after(0, 4 * lineBytes)).not.toBe(tail.after(0, 100 * lineBytes))
  })

  it('gives back the flush itself to those who wait for each', () => {
    const flush = chunk(7)
    tail.push(flush)
    expect(tail.after(6, 1000)).toBe(flush)
  })

  it('gives more after it has grown', () => {
    tail.after(4, 100 * lineBytes)
    tail.push(chunk(7))
    expect(tail.after(4, 100 * lineBytes)).toEqual(chunk(5, 6, 7))
  })

  it('forgets the oldest flushes, and a flush that is too large for it at once', () => {
    tail.push(chunk(7, 8, 9))
    expect(tail.after(1, 1000)).toBeUndefined()
    expect(tail.after(2, lineBytes)).toEqual(chunk(3))
    tail.push(chunk(10, 11, 12, 13, 14, 15, 16, 17, 18))
    expect(tail.after(17, 1000)).toBeUndefined()
    tail.push(chunk(19))
    expect(tail.after(18, 1000)).toEqual(chunk(19))
  })
})
