import { expect, it } from 'vitest'
import { type Mode, verdict } from './modes.ts'

const needs = ['look', 'edit', 'shell'] as const
const verdicts = (mode: Mode, always: ('edit' | 'shell')[] = []) =>
  needs.map((need) => verdict(mode, need, always))

it('each mode allows what it says, and reading is allowed in all', () => {
  expect(verdicts('ask')).toEqual(['go', 'ask', 'ask'])
  expect(verdicts('edits')).toEqual(['go', 'go', 'ask'])
  expect(verdicts('all')).toEqual(['go', 'go', 'go'])
  expect(verdicts('plan')).toEqual(['go', 'refuse', 'refuse'])
})

it('what the user has always allowed is not asked again, but is not allowed in plan mode', () => {
  expect(verdicts('ask', ['shell'])).toEqual(['go', 'ask', 'go'])
  expect(verdicts('plan', ['edit', 'shell'])).toEqual(['go', 'refuse', 'refuse'])
})
