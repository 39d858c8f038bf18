import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const page = read('docs/coverage.md')
const rows = [...page.matchAll(/^\| (\d+) \| (.+?) \| ([\d ]*) ?\| (works|partly|not yet) \| (.*?) ?\|$/gm)]

describe('the page of what the seeds describe', () => {
  it('has a row for each of the 99 things, in order', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 99 }, (_, n) => n + 1))
  })

  it('names a test for all that works, at least in part', () => {
    expect(rows.filter(([, , , , state, tests]) => state !== 'not yet' && tests === '')).toEqual([])
    expect(rows.filter(([, , , , state, tests]) => state === 'not yet' && tests !== '')).toEqual([])
  })

  it('names only tests that are there', () => {
    const named = [...page.matchAll(/\[([^\]]+)\]\(\.\.\/(packages\/[^)]+)\)/g)]
    expect(named.length).toBeGreaterThan(99)
    const gone = named.filter(([, words, file]) => !read(file!).replaceAll("\\'", "'").includes(words!))
    expect(gone.map(([row]) => row)).toEqual([])
  })

  it('counts right', () => {
    const count = (wanted: string) => rows.filter(([, , , , state]) => state === wanted).length
    expect(page).toContain(
      `Works: ${count('works')}. Partly: ${count('partly')}. Not yet: ${count('not yet')}.`,
    )
  })
})
