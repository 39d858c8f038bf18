import type { z } from 'zod'

/** What is wrong with a value, in words for the developer or user who sent it. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (message.endsWith('received undefined')) return 'is missing'
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1)
    return 'must not be empty'
  const isNumber = 'origin' in issue && (issue.origin === 'number' || issue.origin === 'int')
  if (issue.code === 'too_small') {
    return isNumber
      ? `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
      : `must have at least ${issue.minimum}${counted(issue.origin)}`
  }
  if (issue.code === 'too_big') {
    return isNumber
      ? `may be at most ${issue.maximum}`
      : `may have at most ${issue.maximum}${counted(issue.origin)}`
  }
  return message.replace(/^Invalid input: /, '').replace(/, received (.+)$/, ', got $1')
}

function counted(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' || origin === 'set' ? ' entries' : ''
}
