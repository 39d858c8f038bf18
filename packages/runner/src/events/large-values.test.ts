import { fillBlobMarkers } from '@farhand/protocol/events/blob-marker'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { describe, expect, it } from 'vitest'
import { withoutLargeValues } from './large-values.ts'

const event = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})
const kib = 1024
const sizeOf = (event: Notification) => Buffer.byteLength(JSON.stringify(event))
const markerOf = (bytes: Buffer, more = {}) => ({
  _blob: nameOf(bytes),
  size: bytes.length,
  head: bytes.toString().slice(0, 1000),
  ...more,
})

/** Texts of megabytes are compared sooner than by looking for how they differ. */
const sorted = ({ params = {} }: Notification) => Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))

function slim(large: Notification) {
  const slimmed = withoutLargeValues(large)
  if (!slimmed) throw new Error('it cannot be made smaller')
  checkNotification(slimmed.event, 'runner')
  expect(sizeOf(slimmed.event)).toBeLessThanOrEqual(256 * kib)
  for (const { hash, bytes } of slimmed.blobs) expect(hash).toBe(nameOf(bytes))
  const contents = new Map(
    slimmed.blobs.map(({ hash, bytes }) => [hash as string, Buffer.from(bytes).toString()]),
  )
  expect(
    JSON.stringify(sorted(fillBlobMarkers(slimmed.event, contents))) === JSON.stringify(sorted(large)),
  ).toBe(true)
  return { ...slimmed, texts: slimmed.blobs.map(({ bytes }) => Buffer.from(bytes).toString()) }
}

describe('an event that is too large', () => {
  it('is not one that is small enough, and that is left as it is', () => {
    const small = event('tool_call', { toolCallId: 't1', rawInput: 'x'.repeat(200 * kib) })
    expect(withoutLargeValues(small)).toEqual({ event: small, blobs: [] })
    expect(withoutLargeValues(small)!.event).toBe(small)
  })

  it('W24 has its large texts in blobs, at any depth, and names them', () => {
    const text = 'é'.repeat(300 * kib)
    const { event: slimEvent, texts } = slim(
      event('tool_call', {
        toolCallId: 't1',
        content: [{ type: 'content', content: { type: 'text', text } }],
      }),
    )
    expect(texts).toEqual([text])
    const marker = markerOf(Buffer.from(text))
    expect(slimEvent.params).toEqual({
      toolCallId: 't1',
      content: [{ type: 'content', content: { type: 'text', text: marker } }],
      blobs: [marker._blob],
    })
  })

  it('keeps a text where its method asks for one, with the marker beside it', () => {
    const text = 'x'.repeat(2000 * kib)
    const { event: slimEvent, texts } = slim(event('agent_message_chunk', { text, messageId: 'm1' }))
    expect(texts).toEqual([text])
    const marker = markerOf(Buffer.from(text))
    expect(slimEvent.params).toEqual({
      text: 'x'.repeat(1000),
      messageId: 'm1',
      whole: { text: marker },
      blobs: [marker._blob],
    })
  })

  it('has lists and objects of many small values in blobs, as JSON', () => {
    const entries = Array.from({ length: 20_000 }, (_, nth) => ({ type: 'step', content: `Step ${nth}` }))
    const { event: slimEvent, texts } = slim(
      event('session/update', { update: { sessionUpdate: 'plan', entries, note: 'short' } }),
    )
    expect(JSON.parse(texts[0]!)).toEqual(entries)
    expect(slimEvent.params!.update).toEqual({
      sessionUpdate: 'plan',
      entries: markerOf(Buffer.from(JSON.stringify(entries)), { json: true }),
      note: 'short',
    })
  })

  it('names no more blobs than an event may', () => {
    const texts = Array.from({ length: 1500 }, (_, nth) => `${nth} `.repeat(2500))
    const { blobs } = slim(event('tool_call', { toolCallId: 't1', rawOutput: { texts } }))
    expect(blobs).toHaveLength(1)
  })

  it('goes on naming the blobs that it named', () => {
    const named = BlobHash.parse(`sha256_${'0'.repeat(64)}`)
    const { event: slimEvent } = slim(
      event('tool_call', { toolCallId: 't1', rawOutput: 'x'.repeat(300 * kib), blobs: [named] }),
    )
    expect(slimEvent.params!.blobs).toHaveLength(2)
    expect(slimEvent.params!.blobs).toContain(named)
  })

  it('gives the same blobs every time, one for each text', () => {
    const large = event('tool_call', { toolCallId: 't1', a: ['x'.repeat(200 * kib), 'x'.repeat(200 * kib)] })
    expect(slim(large).blobs).toHaveLength(1)
    expect(slim(large)).toEqual(slim(structuredClone(large)))
  })

  it('cuts no character of a head in two', () => {
    const text = `${'x'.repeat(999)}${'🙂'.repeat(100 * kib)}`
    const { event: slimEvent } = slim(event('agent_message_chunk', { text }))
    expect(String(slimEvent.params!.text).isWellFormed()).toBe(true)
  })

  it('is given up if it has too many small values beside each other', () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, nth) => [`member ${nth}`, nth]))
    expect(withoutLargeValues(event('tool_call', { toolCallId: 't1', ...many }))).toBeNull()
  })
})
