import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { NewProject } from '../schemas/api.ts'
import { describeIssue } from './describe-issue.ts'

const wordsFor = (schema: z.ZodType, value: unknown) =>
  describeIssue(schema.safeParse(value).error!.issues[0]!)

describe('what is wrong with a value', () => {
  it('is said in words that do not need the schema beside them', () => {
    expect(wordsFor(NewProject, {})).toBe('is missing')
    expect(wordsFor(NewProject, { name: '' })).toBe('must not be empty')
    expect(wordsFor(NewProject, { name: 7 })).toBe('expected string, got number')
    expect(wordsFor(NewProject, { name: 'x'.repeat(501) })).toBe('may have at most 500 characters')
    expect(wordsFor(z.array(z.string()).min(2), ['a'])).toBe('must have at least 2 entries')
    expect(wordsFor(z.number().positive(), 0)).toBe('must be more than 0')
    expect(wordsFor(z.number().max(3), 4)).toBe('may be at most 3')
  })
})
