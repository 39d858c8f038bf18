import { describe, expect, it } from 'vitest'
import { remarksOf } from './remarks.ts'

const rows = ['append', 'fanout']

describe('remarksOf', () => {
  it('what stands below the name of a row belongs to it', () => {
    const text = 'How to use this.\n\n## append\n\nThe disk.\n\nAnd again.\n\n## fanout\n'
    expect([...remarksOf(text, rows)]).toEqual([['append', 'The disk.\n\nAnd again.']])
  })

  it('a remark about a row that does not exist is not lost in silence', () => {
    expect(() => remarksOf('## apend\n\nThe disk.\n', rows)).toThrow('"apend", which is no row')
  })
})
