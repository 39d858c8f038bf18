import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { bottomLine } from './bottom-line.ts'

describe('the line that says how far it is', () => {
  it('is gone when it ends, and what comes late does not bring it back', () => {
    const context = testContext({ terminal: true })
    const line = bottomLine(context, {})
    line.show('1 of 2')
    line.end()
    const before = context.ran().notes
    expect(before).toContain('1 of 2')
    expect(before.endsWith('\r\x1b[K')).toBe(true)
    line.show('2 of 2')
    expect(context.ran().notes).toBe(before)
    line.say('There is no such agent.')
    expect(context.ran().notes).toBe(`${before}There is no such agent.\n`)
  })

  it('is not drawn without a terminal, and messages are printed all the same', () => {
    const context = testContext()
    const line = bottomLine(context, {})
    line.show('1 of 2')
    line.say('Something.')
    line.end()
    expect(context.ran().notes).toBe('Something.\n')
  })
})
