import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

/** What a page says of tests: `[the name of a test](packages/...)`. */
const namedIn = (page: string) => [...page.matchAll(/\[([^\]]+)\]\((?:\.\.\/)*(packages\/[^)]+)\)/g)]

it.each([
  ['against what broke elsewhere', () => read('docs/reference/lessons.md')],
  ['against what attackers tried', () => section(read('SECURITY.md'), 'What was tried')],
])('every test that the page names %s is there', (_, page) => {
  const named = namedIn(page())
  expect(named.length).toBeGreaterThan(20)
  const gone = named.filter(([, words, file]) => !read(file!).replaceAll("\\'", "'").includes(words!))
  expect(gone.map(([row]) => row)).toEqual([])
})

function section(page: string, title: string): string {
  const [, after = ''] = page.split(`## ${title}\n`)
  return after.split('\n## ')[0]!
}
