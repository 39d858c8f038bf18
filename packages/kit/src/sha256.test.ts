import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sha256 } from './sha256.ts'

const hex = async (bytes: Uint8Array) => Buffer.from(await sha256(bytes)).toString('hex')
const trusted = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('sha256', () => {
  it('is what everybody else computes, whatever is left over in the last block', async () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, nth) => (nth * 7 + length) % 256)
      expect(await hex(bytes), `${length} bytes`).toBe(trusted(bytes))
    }
  })

  it('is the same for what takes long, and others are heard meanwhile', async () => {
    const bytes = Uint8Array.from({ length: 1_500_001 }, (_, nth) => (nth * nth) % 251)
    let isHeard = false
    setTimeout(() => {
      isHeard = true
    })
    expect(await hex(bytes)).toBe(trusted(bytes))
    expect(isHeard).toBe(true)
  })
})
