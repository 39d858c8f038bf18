import { describe, expect, it } from 'vitest'
import { signInWords } from './sign-in-advice.ts'

const words = (entry: object) =>
  signInWords({ wants: [], passes: [], signIn: undefined, ...entry }, 'run_1', 'farhand')

describe('the advice for an agent that needs a sign-in', () => {
  it('names the keys it takes, each once, and how it gets to see them', () => {
    expect(words({ wants: [['A_KEY', 'B_TOKEN']], passes: ['A_KEY', 'B_TOKEN', 'A_URL', 'C_KEY'] })).toBe(
      'Set one of A_KEY, B_TOKEN and C_KEY, and start it again: `farhand close run_1`, then `farhand run --run run_1 "..."`.',
    )
    expect(words({ wants: [['A_KEY']] })).toMatch(/^Set A_KEY, and start it again/)
  })

  it('names the command with which one signs in', () => {
    expect(words({ signIn: '`a login`' })).toBe('Sign in with `a login`, and send the message again.')
    expect(words({ wants: [['A_KEY']], signIn: '`a login`' })).toMatch(
      /; or sign in with `a login`, and send/,
    )
  })

  it('says something where neither is known', () => {
    expect(words({})).toMatch(/^Sign in to it on its machine, or start it again/)
  })
})
