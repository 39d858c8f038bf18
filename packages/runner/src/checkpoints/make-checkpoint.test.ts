import { expect, it } from 'vitest'
import { checkpointSubject } from './make-checkpoint.ts'

it('says in one line which checkpoint it is and what the agent had been asked for', () => {
  expect(checkpointSubject(3, 'Fix the\n\n  failing\ttest\x1b[31m')).toBe(
    'Farhand checkpoint 3: Fix the failing test [31m',
  )
  expect(checkpointSubject(1, null)).toBe('Farhand checkpoint 1')
  expect(checkpointSubject(1, ' \n')).toBe('Farhand checkpoint 1')
  const long = checkpointSubject(12, '😀'.repeat(80))
  expect(long).toBe(`Farhand checkpoint 12: ${'😀'.repeat(59)}…`)
})
