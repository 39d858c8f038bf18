import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, LineReader } from './line-reader.ts'

function linesOf(chunks: readonly Buffer[], mostBytes = 1000): Line[] {
  const reader = new LineReader(mostBytes)
  const lines: Line[] = []
  for (const chunk of chunks) {
    reader.push(chunk)
    for (let line = reader.next(); line; line = reader.next()) lines.push(line)
  }
  const rest = reader.rest()
  return rest ? [...lines, rest] : lines
}

describe('LineReader', () => {
  it('gives the same lines no matter where the bytes are cut, in the middle of a character too', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🙂', '"'), maxLength: 20 })
    const lines = fc.array(text, { maxLength: 8 })
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (given, sizes) => {
        const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''))
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value as number
          chunks.push(bytes.subarray(at, at + size))
          at += size
        }
        const got = linesOf(chunks).flatMap((line) => ('text' in line && line.text !== '' ? [line.text] : []))
        expect(got).toEqual(given.filter((line) => line !== ''))
      }),
    )
  })

  it('keeps the two ends of a line that is too long, however it comes, and reads on after it', () => {
    const long = `{"id":7,${'x'.repeat(5000)},"end"}`
    const bytes = Buffer.from(`before\n${long}\nafter\n`)
    for (const size of [1, 100, 1500, bytes.length]) {
      const chunks = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect(linesOf(chunks)).toEqual([
        { text: 'before' },
        { head: long.slice(0, 1024), tail: long.slice(-1024), bytes: long.length },
        { text: 'after' },
      ])
    }
  })

  it('takes a line of exactly as much as it may keep', () => {
    expect(linesOf([Buffer.from('12345\n')], 5)).toEqual([{ text: '12345' }])
    expect(linesOf([Buffer.from('123456\n')], 5)).toEqual([{ head: '123456', tail: '123456', bytes: 6 }])
    expect(linesOf([Buffer.from('123'), Buffer.from('456\n')], 5)).toEqual([
      { head: '123456', tail: '123456', bytes: 6 },
    ])
  })

  it('gives a last line that has no end when there is no more', () => {
    expect(linesOf([Buffer.from('one\ntw'), Buffer.from('o')])).toEqual([{ text: 'one' }, { text: 'two' }])
  })
})
