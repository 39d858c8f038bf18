import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importGraph } from './house/import-graph.ts'
import { isForTests, sourcesUnder } from './house/source.ts'
import { brokenHops, filesOf, slipsIn, walksOf } from './house/walks.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(`${root}/ARCHITECTURE.md`, 'utf8')
const walks = walksOf(page)
const graph = importGraph(sourcesUnder(root).filter((source) => !isForTests(source)))

it('ARCHITECTURE.md walks with a prompt, a file and an answer, and a prompt passes at most 50 files', () => {
  expect(walks.map(({ name }) => name)).toEqual(['A prompt', 'A file', 'An answer'])
  expect(filesOf(walks[0]!).length).toBeLessThanOrEqual(50)
  expect(slipsIn(page)).toEqual([])
})

it.each(walks)(
  '$name: each file is there, and between two crossings imports the next or is imported by it',
  (walk) => {
    expect(brokenHops(walk, graph)).toEqual([])
  },
)

it('ARCHITECTURE.md is short enough to be read: at most 2,500 words', () => {
  expect(page.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(2500)
})
