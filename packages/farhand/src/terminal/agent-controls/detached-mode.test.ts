import { expect, it } from 'vitest'
import { runTerms } from '../../commands/run/run-terms.ts'
import { detachedModeInWords } from './detached-mode.ts'

/** What is said to who leaves a new run that was begun with these flags. */
const left = (flags: Parameters<typeof runTerms>[0]) =>
  detachedModeInWords('interactive', runTerms(flags)('interactive'), true)

it('W65 who leaves a run with --detach is told in which mode, and who answers what it asks', () => {
  expect(left({})).toBe('It is in interactive mode: what it asks waits for you.')
  expect(left({ background: true, policy: 'allow-edits' })).toBe(
    'It is in background mode under the policy allow-edits.',
  )
  expect(left({ background: true })).toContain(
    'It is in background mode: without a policy it does not wait for an answer',
  )
})

it('W36 a user who leaves a run to a policy is not told that all its questions wait for them, in any mode', () => {
  expect(left({ policy: 'allow-all' })).toBe('It is in interactive mode under the policy allow-all.')
  const wait = 'what it asks waits 5 minutes for you'
  expect(left({ policy: 'deny', maxWait: '5' })).toBe(
    `It is in interactive mode under the policy deny: ${wait}, unless that decides it.`,
  )
  expect(left({ background: true, maxWait: '5' })).toBe(
    `It is in background mode under the policy ask: ${wait}.`,
  )
})

it('W65 a user who leaves an older run is not told that it has no policy, which the command cannot know', () => {
  const again = (mode: 'background' | 'interactive') => detachedModeInWords(mode, [], false)
  expect(again('background')).toContain(
    'It is in background mode: its policy decides; without one it does not wait',
  )
  expect(again('interactive')).toBe(
    'It is in interactive mode: what it asks waits for you, unless a policy of its own decides it.',
  )
})
