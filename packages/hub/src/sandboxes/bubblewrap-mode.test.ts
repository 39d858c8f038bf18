import { describe, expect, it } from 'vitest'
import { memoryDiskMb, possibleModes } from './bubblewrap-mode.ts'

const whole = '         0          0 4294967295\n'

describe('how bubblewrap is used', () => {
  it('root gives each sandbox a user of its own, and is never mapped to one', () => {
    expect(possibleModes(0, whole)).toEqual([
      { user: 'own', disk: 'image' },
      { user: 'own', disk: 'memory' },
    ])
  })

  it('others are mapped, as is root of a container that has no other users', () => {
    const mapped = [{ user: 'mapped', disk: 'memory' }]
    expect(possibleModes(1000, whole)).toEqual(mapped)
    expect(possibleModes(0, '0 1000 1\n')).toEqual(mapped)
    expect(possibleModes(0, '0 1000 1\n1 100000 65536\n')).toEqual(mapped)
  })

  it('a disk in memory leaves the machine half of its memory, no matter how much is asked for', () => {
    expect(memoryDiskMb(16)).toBe(16)
    expect(memoryDiskMb(2 ** 30)).toBeLessThan(2 ** 30)
  })
})
