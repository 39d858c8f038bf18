import { Refusal, Unreachable } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { hubTrouble } from './hub-trouble.ts'

const said = {
  status: 503,
  code: 'storage.full',
  message: 'no room',
  remedy: 'retry',
  retryAfterMs: 0,
} as const
const full = new Refusal(said)

it('a full disk of the hub is not taken for a hub that does not answer, whether or not an earlier try got lost', () => {
  for (const error of [full, new Unconfirmed(full, 'key', 'Create it again')])
    expect(hubTrouble(error, 'http://hub', testContext())).toMatchObject({
      exit: 'failed',
      message: 'The hub at http://hub has no room left.',
      nextStep: 'Free some space where the hub keeps its data, then try again.',
    })
  const lost = new Unconfirmed(new Unreachable('the connection was refused'), 'key', 'Create it again')
  expect(hubTrouble(lost, 'http://hub', testContext())?.message).toBe(
    'No hub answers at http://hub: the connection was refused.',
  )
})
