import { describe, expect, it } from 'vitest'
import { fuzzy } from './fuzzy.ts'

const find = (query: string, all: readonly string[], most = 10) =>
  fuzzy(query, all, (name) => name, most).map(({ item }) => item)

describe('a fuzzy search', () => {
  it('finds those that have the letters in their order, and no others', () => {
    expect(find('mnts', ['src/main.ts', 'src/stem.nm'])).toEqual(['src/main.ts'])
  })

  it('takes the name of a file before the folders that it lies in', () => {
    expect(find('run', ['run/deep/in/here/other.ts', 'src/run.ts'])[0]).toBe('src/run.ts')
  })

  it('takes beginnings of words before letters from their middle', () => {
    expect(find('rv', ['server.ts', 'run-view.ts'])[0]).toBe('run-view.ts')
    expect(find('rv', ['carve.ts', 'runView.ts'])[0]).toBe('runView.ts')
  })

  it('takes the shorter of two that fit alike', () => {
    expect(find('app', ['app-of-many-words.ts', 'app.ts'])[0]).toBe('app.ts')
  })

  it('without a query shows the first ones, and never more than asked for', () => {
    expect(find('', ['a', 'b', 'c'], 2)).toEqual(['a', 'b'])
    expect(
      find(
        'a',
        Array.from({ length: 100 }, (_, nth) => `a${nth}`),
        5,
      ),
    ).toHaveLength(5)
  })

  it('gives the positions of the letters', () => {
    expect(fuzzy('mn', ['src/main.ts'], (name) => name, 1)[0]!.at).toEqual([4, 7])
  })
})
