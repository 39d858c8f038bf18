import { describe, expect, it } from 'vitest'
import { BlobHash } from '../wire/blob-hash.ts'
import { fillBlobMarkers } from './blob-marker.ts'

const hashes = ['a', 'b', 'c'].map((digit) => BlobHash.parse(`sha256_${digit.repeat(64)}`))
const [a, b, c] = hashes as [BlobHash, BlobHash, BlobHash]
const marker = (hash: BlobHash, more = {}) => ({ _blob: hash, size: 9, head: 'x', ...more })
const event = (params: Record<string, unknown>) => ({
  jsonrpc: '2.0' as const,
  method: 'tool_result',
  params: { toolCallId: 't1', ...params },
})

describe('values that are in blobs', () => {
  it('W24 come back into their places', () => {
    const large = event({
      text: 'x',
      content: [{ type: 'text', text: marker(b) }],
      rawOutput: marker(c, { json: true }),
      whole: { text: marker(a) },
      blobs: hashes,
    })
    const contents = new Map([
      [a, 'all of a'],
      [b, 'all of b'],
      [c, '{"c":[1]}'],
    ])
    expect(fillBlobMarkers(large, contents)).toEqual(
      event({ text: 'all of a', content: [{ type: 'text', text: 'all of b' }], rawOutput: { c: [1] } }),
    )
  })

  it('W25 stay markers if the blob is gone', () => {
    const large = event({ text: 'x', more: [marker(b)], whole: { text: marker(a) }, blobs: [a, b] })
    expect(fillBlobMarkers(large, new Map())).toEqual(large)
    expect(fillBlobMarkers(large, new Map([[b, 'all of b']]))).toEqual(
      event({ text: 'x', more: ['all of b'], whole: { text: marker(a) }, blobs: [a] }),
    )
  })

  it('W24 are not mistaken for an agent’s value that looks like a marker', () => {
    const odd = event({ a: marker(a), b: marker(b, { more: 1 }), c: { _blob: 7 }, blobs: [b] })
    const contents = new Map([
      [a, 'all of a'],
      [b, 'all of b'],
    ])
    expect(fillBlobMarkers(odd, contents)).toEqual(odd)
    const plain = event({ a: marker(a) })
    expect(fillBlobMarkers(plain, contents)).toBe(plain)
  })
})
