import { expect, it } from 'vitest'
import { leftMode } from './left-mode.ts'

it('W65 who leaves a run with --detach is told in which mode, and who answers what it asks', () => {
  expect(leftMode('interactive', undefined)).toBe('It is in interactive mode: what it asks waits for you.')
  expect(leftMode('background', 'allow-edits')).toBe('It is in background mode under the policy allow-edits.')
  expect(leftMode('background', undefined)).toContain('waits for nobody')
})
