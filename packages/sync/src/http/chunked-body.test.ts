import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkedBody } from './chunked-body.ts'

const encode = (pieces: readonly Uint8Array[], last = '0\r\n\r\n') =>
  Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(last),
  ])

function decode(bytes: Buffer, cuts: number[] = []) {
  const body = new ChunkedBody()
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  )
  const pieces: Buffer[] = []
  let used = 0
  for (const [n, from] of places.slice(0, -1).entries()) {
    // A copy, because taking it apart moves what is in it.
    const taken = body.take(Buffer.from(bytes.subarray(from, places[n + 1])))
    pieces.push(taken.piece)
    used += taken.used
  }
  return { text: Buffer.concat(pieces), used, isOver: body.isOver }
}

describe('a chunked body', () => {
  it('is the same, no matter how it is cut on its way', () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40, size: 'max' }), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(1000), { maxLength: 30, size: 'max' }), (pieces, cuts) => {
        const bytes = encode(pieces)
        expect(decode(bytes, cuts)).toEqual({ text: Buffer.concat(pieces), used: bytes.length, isOver: true })
      }),
    )
  })

  it('ends where it says, and leaves alone what comes after', () => {
    const { text, used, isOver } = decode(
      Buffer.concat([encode([Buffer.from('a')]), Buffer.from('HTTP/1.1')]),
    )
    expect([text.toString(), used, isOver]).toEqual(['a', 11, true])
    expect(decode(encode([Buffer.from('a')], '')).isOver).toBe(false)
  })

  it('may have extensions and trailers, which say nothing here', () => {
    expect(decode(Buffer.from('1;name=value\r\nx\r\n0\r\nTrailer: y\r\n\r\n'))).toMatchObject({
      isOver: true,
      used: 34,
    })
  })

  it.each(['x\r\n', '-1\r\n', '\r\n', '1\r\nab\r\n'])('is none if it says %j', (text) => {
    expect(() => decode(Buffer.from(text))).toThrow()
  })

  it('is refused if the line of its size has no end', () => {
    expect(() => decode(Buffer.from('0'.repeat(5000)))).toThrow()
  })
})
