import { expect, it } from 'vitest'
import { whyGitFailed } from './commits-failed.ts'

it('a full disk is named, another git is waited for, and an unknown error stays as it is', () => {
  const why = (said: string) => whyGitFailed(new Error(said), '/work')
  expect(why('git index-pack: fatal: write error: No space left on device')).toMatchObject({
    message: 'The disk of /work is full.',
    isPassing: false,
  })
  const locked = "fatal: update_ref failed: Unable to create '/x/.git/refs/x.lock': File exists."
  expect(why(locked)).toMatchObject({ isPassing: true })
  expect(why('something else')).toEqual(new Error('something else'))
})
