import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

const rows = ['append', 'fanout']

describe('readOptions', () => {
  it('without arguments everything is measured in full', () => {
    expect(readOptions([], rows)).toEqual({ only: null, quick: false, hub: null, help: false })
  })

  it('rows are picked by name, as words or separated by commas', () => {
    expect(readOptions(['--only', 'append,fanout', '--quick'], rows)).toMatchObject({
      only: ['append', 'fanout'],
      quick: true,
    })
    expect(readOptions(['fanout', '--quick', 'append'], rows).only).toEqual(['fanout', 'append'])
  })

  it('a row that does not exist is refused with the names that do', () => {
    expect(() => readOptions(['--only', 'apend'], rows)).toThrow(
      'There is no row "apend". Rows: append, fanout.',
    )
  })
})
