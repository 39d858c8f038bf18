import { sampleHash } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { InlineContents } from './inline-contents.ts'

it('has a content once', () => {
  const atHand = new InlineContents()
  atHand.put(sampleHash('a'), new Uint8Array([1]))
  expect(atHand.take(sampleHash('a'))).toEqual(new Uint8Array([1]))
  expect(atHand.take(sampleHash('a'))).toBeNull()
})

it('keeps the newest when there are too many', () => {
  const atHand = new InlineContents()
  for (const letter of 'abc') atHand.put(sampleHash(letter), new Uint8Array(400_000))
  expect(atHand.take(sampleHash('a'))).toBeNull()
  expect(atHand.take(sampleHash('b'))?.length).toBe(400_000)
  expect(atHand.take(sampleHash('c'))?.length).toBe(400_000)
})
