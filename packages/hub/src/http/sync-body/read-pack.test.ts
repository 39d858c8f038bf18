import { eventsHead, writePack } from '@farhand/protocol/wire/pack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameOf } from '../../blobs/blob-store.contract.ts'
import { verify } from '../../blobs/received-blobs.ts'
import { readPack } from './read-pack.ts'

const whole = (bytes: Uint8Array) => ({ hash: nameOf(Buffer.from(bytes)), bytes })

/** The bytes in pieces that end at these places, empty ones too. */
function inPieces(bytes: Uint8Array, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, n) => Buffer.from(bytes.subarray(ends[n - 1] ?? 0, end)))
}

describe('the body of a pack', () => {
  it('W31 is read the same, no matter in which pieces it arrives', () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 200, size: 'max' }), { maxLength: 6 })
    const events = fc.option(
      fc.string().map((text) => Buffer.from(text)),
      { nil: undefined },
    )
    fc.assert(
      fc.property(
        contents,
        events,
        fc.array(fc.nat(), { maxLength: 30, size: 'max' }),
        (bytes, text, cuts) => {
          const blobs = bytes.map(whole)
          const packed = readPack(inPieces(writePack(blobs, text), cuts), 1000)
          verify(packed.received)
          const { pack } = packed.received
          const read = packed.received.blobs.map(({ hash, at, size }) => [hash, pack.bytes(at, size)])
          expect(read).toEqual(blobs.map((blob) => [blob.hash, Buffer.from(blob.bytes)]))
          expect(packed.events).toEqual(text ?? null)
        },
      ),
    )
  })

  it('W31 is refused if a blob in it was changed, no matter in which pieces it arrives', () => {
    const pack = writePack([whole(Buffer.alloc(1000, 1)), whole(Buffer.alloc(1000, 2))])
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 37, max: 1036 }), (cuts, at) => {
        const changed = Uint8Array.from(pack)
        changed[at]! ^= 1
        const { received } = readPack(inPieces(changed, cuts), 1000)
        expect(() => verify(received)).toThrow('do not hash to their name')
      }),
    )
  })

  it('W31 is refused if it is cut off at any byte, and if anything follows the events', () => {
    const text = Buffer.from('{}')
    const pack = writePack([whole(Buffer.from('some bytes'))], text)
    const ends = [0, 47, pack.length]
    for (let end = 0; end <= pack.length; end++) {
      const read = () => readPack([Buffer.from(pack.subarray(0, end))], 1000)
      if (ends.includes(end)) expect(read).not.toThrow()
      else expect(read, `cut at ${end}`).toThrow('ends within a record')
    }
    const more = [Buffer.from(pack), Buffer.from(eventsHead(0))]
    expect(() => readPack(more, 1000)).toThrow('the events are the last')
  })
})
