import { describe, expect, it } from 'vitest'
import { readProcessStat } from './process-stat.ts'

const numbers = Array.from({ length: 22 }, (_, at) => at + 7).join(' ')

describe('the line of a process in /proc', () => {
  it('is read past a name with spaces and parentheses', () => {
    expect(readProcessStat(`42 (a) R (b) S 1 2 3 ${numbers}\n`)).toEqual({
      pid: 42,
      parent: 1,
      group: 2,
      session: 3,
      since: '22',
    })
  })

  it('gives nothing if it is of a zombie, cut off, or malformed', () => {
    expect(readProcessStat(`42 (a) Z 1 2 3 ${numbers}\n`)).toBeNull()
    expect(readProcessStat('42 (a) S 1 2 3')).toBeNull()
    expect(readProcessStat('')).toBeNull()
  })
})
