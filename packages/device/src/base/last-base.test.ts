import { describe, expect, it } from 'vitest'
import { type BundleShape, bundleParts } from './last-base.ts'
import { packedObjects } from './packed-objects.ts'

/** A bundle with objects of these sizes, one after another behind its own lines and the twelve bytes of a pack. */
function shape(headBytes: number, objects: readonly (readonly [string, number, number?])[]): BundleShape {
  let at = 12
  const placed = objects.map(([name, bytes, crc = bytes]) => {
    at += bytes
    return { name, start: at - bytes, end: at, crc }
  })
  return { headBytes, bytes: headBytes + at + 20, objects: placed }
}

describe('the next bundle', () => {
  it('is made of what the last one has, in long stretches, and of what is new', () => {
    const before = shape(100, [
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ])
    const now = shape(90, [
      ['new', 5],
      ['a', 10],
      ['b', 20],
      ['newer', 6],
      ['c', 30],
    ])
    expect(bundleParts(before, now)).toEqual([
      { of: 'now', start: 0, end: 107 },
      { of: 'before', start: 112, end: 142 },
      { of: 'now', start: 137, end: 143 },
      { of: 'before', start: 142, end: 172 },
      { of: 'now', start: 173, end: 193 },
    ])
  })

  it('takes nothing that has the same name in another form', () => {
    const before = shape(100, [
      ['a', 10],
      ['b', 20],
    ])
    const now = shape(100, [
      ['a', 11],
      ['b', 20, 7],
    ])
    expect(bundleParts(before, now)).toEqual([{ of: 'now', start: 0, end: now.bytes }])
  })
})

it('what is no index of a pack, or half of one, has no objects', () => {
  expect(packedObjects(new Uint8Array(10), 100)).toBeNull()
  expect(packedObjects(new Uint8Array(2_000), 100)).toBeNull()
  const half = new Uint8Array(8 + 1024)
  new DataView(half.buffer).setUint32(0, 0xff744f63)
  new DataView(half.buffer).setUint32(4, 2)
  expect(packedObjects(half, 100)).toEqual([])
  new DataView(half.buffer).setUint32(8 + 1020, 3)
  expect(packedObjects(half, 100)).toBeNull()
})
