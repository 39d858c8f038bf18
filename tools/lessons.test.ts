import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

it('every test that the map names against what broke elsewhere is there', () => {
  const [, after = ''] = read('ARCHITECTURE.md').split('## What broke elsewhere\n')
  const named = [...after.split('\n## ')[0]!.matchAll(/\[([^\]]+)\]\((packages\/[^)]+)\)/g)]
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(([, words, file]) => !read(file!).includes(words!)).map(([row]) => row)).toEqual([])
})
