import { describe, expect, it } from 'vitest'
import { setAsideMs, whatGoes } from './trash.ts'

const entry = (name: string, at: number, size: number) => ({ name, at, size })
const namesOf = (...args: Parameters<typeof whatGoes>) => whatGoes(...args).map(({ name }) => name)

describe('removed bytes', () => {
  it('are set aside for seven days', () => {
    const entries = [entry('old', 0, 10), entry('young', 1000, 10)]
    expect(namesOf(entries, setAsideMs, 1e9)).toEqual([])
    expect(namesOf(entries, setAsideMs + 1, 1e9)).toEqual(['old'])
    expect(namesOf(entries, setAsideMs + 1001, 1e9)).toEqual(['old', 'young'])
  })

  it('take at most half of what is free: the oldest go first, and on a full disk all that is too much', () => {
    const entries = [entry('c', 3, 100), entry('a', 1, 100), entry('b', 2, 100)]
    expect(namesOf(entries, 10, 600)).toEqual([])
    expect(namesOf(entries, 10, 599)).toEqual(['a'])
    expect(namesOf(entries, 10, 0)).toEqual(['a', 'b'])
    expect(namesOf([entry('only', 1, 100)], 10, 0)).toEqual(['only'])
  })
})
