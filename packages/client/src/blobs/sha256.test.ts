import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { webHasher } from './sha256.ts'

const trusted = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

afterEach(() => void vi.unstubAllGlobals())

describe.each([
  ['with the crypto of the platform', () => {}],
  // As in a page that came over plain http.
  ['without it', () => vi.stubGlobal('crypto', undefined)],
])('a hash %s', (_, prepare) => {
  it('is that of all bytes, no matter in which pieces they come', async () => {
    prepare()
    for (const length of [0, 1, 55, 56, 63, 64, 65, 200, 1_500_001]) {
      const bytes = Uint8Array.from({ length }, (_, nth) => (nth * 7 + length) % 251)
      const hasher = webHasher()
      for (const [from, to] of [
        [0, 3],
        [3, 70],
        [70, length],
      ] as const)
        hasher.update(bytes.subarray(from, to))
      expect(await hasher.digest('hex'), `${length} bytes`).toBe(trusted(bytes))
    }
  })
})

it('other work goes on while many bytes are hashed without the platform’s crypto', async () => {
  vi.stubGlobal('crypto', undefined)
  let isHeard = false
  setTimeout(() => {
    isHeard = true
  })
  const hasher = webHasher()
  hasher.update(new Uint8Array(1_500_001))
  await hasher.digest('hex')
  expect(isHeard).toBe(true)
})
