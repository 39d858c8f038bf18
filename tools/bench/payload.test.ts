import { describe, expect, it } from 'vitest'
import { event, eventBytes, eventScanner, jsonArray, ndjson } from './payload.ts'

function seen(stream: Buffer, chunkBytes: number): number[] {
  const found: number[] = []
  const scan = eventScanner((seq) => found.push(seq))
  for (let at = 0; at < stream.length; at += chunkBytes) scan(stream.subarray(at, at + chunkBytes))
  return found
}

describe('payload', () => {
  it('events differ in their number only', () => {
    expect(JSON.parse(event(42).toString()).params.text).toMatch(/^#0000042 /)
    expect(event(42)).toHaveLength(eventBytes)
    expect(JSON.parse(jsonArray(3).toString())).toHaveLength(3)
    expect(ndjson(3).toString().split('\n')).toHaveLength(4)
  })

  it('a scanner finds every event once, no matter where the stream is cut', () => {
    const frames = [0, 1, 999_999].map((seq) => `id: ${seq}\ndata: ${event(seq)}\n\n`).join('')
    for (const chunkBytes of [1, 7, 64, 300, 100_000]) {
      expect(seen(Buffer.from(frames), chunkBytes)).toEqual([0, 1, 999_999])
      expect(seen(ndjson(20), chunkBytes)).toHaveLength(20)
      expect(seen(jsonArray(20), chunkBytes)).toHaveLength(20)
    }
  })
})
