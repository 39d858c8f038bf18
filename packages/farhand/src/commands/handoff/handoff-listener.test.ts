import { expect, it } from 'vitest'
import { memoryInWords, restInWords } from './handoff-listener.ts'

it('the command does not claim to save what is not saved', () => {
  expect(restInWords({ to: 'here', isOurs: false })).toMatch(/checkpoint.*memory are saved/)
  expect(restInWords({ to: 'cloud', isOurs: true })).toMatch(/memory is saved/)
  expect(restInWords({ to: 'cloud', isOurs: false })).not.toMatch(/saved/)
})

it('of an agent that does not take along what it remembers it is said how it knows', () => {
  expect(memoryInWords({ to: 'here', agent: 'builtin', isOurs: true })).toBeNull()
  expect(memoryInWords({ to: 'here', agent: 'opencode', isOurs: false })).toMatch(/opencode.*is told/)
  expect(memoryInWords({ to: 'cloud', agent: 'claude', isOurs: false })).toMatch(/claude.*session.*is told/)
})
