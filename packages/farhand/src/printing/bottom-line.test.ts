import { describe, expect, it } from 'vitest'
import { worldOf } from '../context/world-under-test.ts'
import { bottomLine } from './bottom-line.ts'

describe('the line that says how far it is', () => {
  it('is gone when it ends, and what comes late does not bring it back', () => {
    const world = worldOf({ terminal: true })
    const line = bottomLine(world, {})
    line.show('1 of 2')
    line.end()
    const before = world.ran().notes
    expect(before).toContain('1 of 2')
    expect(before.endsWith('\r\x1b[K')).toBe(true)
    line.show('2 of 2')
    expect(world.ran().notes).toBe(before)
    line.say('There is no such agent.')
    expect(world.ran().notes).toBe(`${before}There is no such agent.\n`)
  })

  it('is not drawn where nobody watches, and what is said is said all the same', () => {
    const world = worldOf()
    const line = bottomLine(world, {})
    line.show('1 of 2')
    line.say('Something.')
    line.end()
    expect(world.ran().notes).toBe('Something.\n')
  })
})
