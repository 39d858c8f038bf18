import { expect, it } from 'vitest'
import { whyPushFailed } from './remote-branch.ts'

it('a push that did not go through says what was in the way', () => {
  const says = (said: string) => whyPushFailed(said, 'origin').message
  expect(says("fatal: could not read Username for 'https://x': terminal prompts disabled")).toContain(
    'rejects your credentials',
  )
  expect(
    says('git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.'),
  ).toContain('rejects your credentials')
  expect(says(' ! [rejected]  a -> b (non-fast-forward)\nerror: failed to push some refs')).toContain(
    'Another user or run',
  )
  expect(says(' ! [remote rejected] a -> b (pre-receive hook declined)')).toContain('A hook or a rule')
  expect(says("fatal: unable to access 'https://x/': Could not resolve host: x")).toContain(
    'cannot be reached',
  )
  expect(says('error: something new')).toContain('something new')
})
