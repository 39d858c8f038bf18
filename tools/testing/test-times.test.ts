import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import config from '../../vitest.config.ts'
import { slowOnes } from './test-times.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8')

it('of the files that were measured the slow ones are kept, the slowest first', () => {
  const seconds = new Map([
    ['a.test.ts', 2.9],
    ['b.test.ts', 7.4],
    ['c.test.ts', 61.6],
  ])
  expect(Object.entries(slowOnes(seconds))).toEqual([
    ['c.test.ts', 62],
    ['b.test.ts', 7],
  ])
})

it('every file whose time is kept is there: one that was moved takes its time along', () => {
  const kept = Object.keys(JSON.parse(read('tools/testing/test-times.json')))
  expect(kept.length).toBeGreaterThan(20)
  expect(kept.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
})

it('every file that is to have a process of its own is there: else it would share one', () => {
  type Project = { test?: { name?: string; include?: string[] } }
  const projects = (config as { test: { projects: Project[] } }).test.projects
  const alone = projects.find(({ test }) => test?.name === 'alone')?.test?.include ?? []
  const files = alone.filter((pattern) => !pattern.includes('*'))
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
})
