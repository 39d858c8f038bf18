import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { takeContents } from './inline-contents.ts'

const nameOf = (bytes: Buffer) => `sha256_${createHash('sha256').update(bytes).digest('hex')}`
const taken = (...messages: { event?: string; data: string }[]) => {
  const all: [string, string][] = []
  const given = messages.map((one) => ({ id: undefined, event: undefined, ...one }))
  takeContents(given, (hash, bytes) => all.push([hash, Buffer.from(bytes).toString('hex')]))
  return all
}

it('W33 passes on contents byte for byte, and nothing else', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  const blob = { event: 'blob', data: `${nameOf(bytes)} ${bytes.toString('base64')}` }
  const empty = { event: 'blob', data: `${nameOf(Buffer.alloc(0))} ` }
  expect(taken({ data: '{}' }, blob, { event: 'live', data: '{}' }, empty)).toEqual([
    [nameOf(bytes), bytes.toString('hex')],
    [nameOf(Buffer.alloc(0)), ''],
  ])
})

it('W33 ignores malformed contents', () => {
  expect(taken({ event: 'blob', data: 'no-hash AAAA' })).toEqual([])
  expect(taken({ event: 'blob', data: `${nameOf(Buffer.from('a'))} ***` })).toEqual([])
  expect(taken({ event: 'blob', data: '' })).toEqual([])
})
