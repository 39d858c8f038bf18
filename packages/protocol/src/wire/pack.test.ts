import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlobHash } from './blob-hash.ts'
import {
  BadPack,
  blobHead,
  blobHeadBytes,
  eventsHead,
  missingRecord,
  PackReader,
  type PackRecord,
  readHash,
  recordHeadBytes,
  writeHash,
  writePack,
} from './pack.ts'

const hashOf = (digit: string) => BlobHash.parse(`sha256_${digit.repeat(64)}`)
const text = (value: string) => new TextEncoder().encode(value)
const joined = (parts: Uint8Array[]) => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => readHash(bytes))
const blob = fc.record({ hash, bytes: fc.uint8Array({ maxLength: 100 }) })

function read(pack: Uint8Array, cuts: number[] = [], mostBytes = 1000): PackRecord[] {
  const reader = new PackReader({ mostBytes })
  const places = [...new Set([0, ...cuts.map((cut) => cut % (pack.length + 1)), pack.length])]
  places.sort((a, b) => a - b)
  const records = places.flatMap((from, n) =>
    n + 1 < places.length ? reader.feed(pack.slice(from, places[n + 1])) : [],
  )
  reader.end()
  return records
}

describe('a pack', () => {
  it('W31 is read the same, no matter how it is cut into chunks', () => {
    const cuts = fc.array(fc.nat(2000), { maxLength: 50, size: 'max' })
    const events = fc.option(fc.uint8Array({ maxLength: 50 }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(blob, { maxLength: 8 }), events, cuts, (blobs, events, cuts) => {
        const expected = blobs.map((blob) => ({ kind: 'blob', ...blob }))
        expect(read(writePack(blobs, events), cuts)).toEqual(
          events ? [...expected, { kind: 'events', bytes: events }] : expected,
        )
      }),
    )
  })

  it('W31 has the shape that is written down', () => {
    const pack = writePack([{ hash: hashOf('a'), bytes: text('hi') }], text('{}'))
    expect([...pack]).toEqual([1, 0, 0, 0, 2, ...Array(32).fill(0xaa), 104, 105, 2, 0, 0, 0, 2, 123, 125])
    expect(joined([blobHead(hashOf('a'), 2), text('hi'), eventsHead(2), text('{}')])).toEqual(pack)
    expect([...missingRecord(hashOf('0'))]).toEqual([3, 0, 0, 0, 0, ...Array(32).fill(0)])
    expect(read(missingRecord(hashOf('7')))).toEqual([{ kind: 'missing', hash: hashOf('7') }])
    expect([blobHeadBytes, recordHeadBytes]).toEqual([37, 5])
  })

  it('takes no copy of a record that lies within one chunk', () => {
    const pack = writePack([{ hash: hashOf('b'), bytes: text('hello') }])
    const [record] = new PackReader({ mostBytes: 10 }).feed(pack)
    expect(record?.kind === 'blob' && record.bytes.buffer).toBe(pack.buffer)
  })

  it('gives a hash back as it was written', () => {
    fc.assert(
      fc.property(hash, (hash) => {
        const bytes = new Uint8Array(40)
        writeHash(hash, bytes, 5)
        expect(readHash(bytes, 5)).toBe(BlobHash.parse(hash))
      }),
    )
  })
})

describe('a malformed pack', () => {
  const one = writePack([{ hash: hashOf('c'), bytes: text('hello') }])
  const events = joined([eventsHead(2), text('{}')])
  const why = (pack: Uint8Array, mostBytes = 1000) => {
    try {
      read(pack, [1, 3, 20], mostBytes)
      return null
    } catch (error) {
      return error instanceof BadPack ? error.why : error
    }
  }

  it('is cut off anywhere within a record', () => {
    for (let end = 1; end < one.length; end++) expect(why(one.slice(0, end)), `${end}`).toBe('cut-off')
    expect(why(one)).toBeNull()
    expect(why(new Uint8Array())).toBeNull()
  })

  it('has an unknown kind, something after the events, or something missing that has a length', () => {
    for (const kind of [0, 4, 123, 255]) expect(why(Uint8Array.of(kind))).toBe('malformed')
    for (const after of [one, events]) expect(why(joined([events, after]))).toBe('malformed')
    const missing = missingRecord(hashOf('d'))
    missing[4] = 1
    expect(why(missing)).toBe('malformed')
  })

  it('has a record that is larger than allowed, which is known before its bytes are there', () => {
    expect(why(one, 5)).toBeNull()
    expect(why(one, 4)).toBe('too-large')
    expect(why(blobHead(hashOf('e'), 0xffffffff))).toBe('too-large')
    expect(why(eventsHead(0x80000000))).toBe('too-large')
  })
})
