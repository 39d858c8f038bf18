import { hashOf } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { AtHand } from './inline-contents.ts'

it('has a content once', () => {
  const atHand = new AtHand()
  atHand.put(hashOf('a'), new Uint8Array([1]))
  expect(atHand.take(hashOf('a'))).toEqual(new Uint8Array([1]))
  expect(atHand.take(hashOf('a'))).toBeNull()
})

it('keeps the newest when there are too many', () => {
  const atHand = new AtHand()
  for (const letter of 'abc') atHand.put(hashOf(letter), new Uint8Array(400_000))
  expect(atHand.take(hashOf('a'))).toBeNull()
  expect(atHand.take(hashOf('b'))?.length).toBe(400_000)
  expect(atHand.take(hashOf('c'))?.length).toBe(400_000)
})
