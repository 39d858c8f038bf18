import { describe, expect, it } from 'vitest'
import { signInFirst, unattendedWay } from './sign-in.ts'

const env = { MY_KEY: 'k', EMPTY_KEY: '' }
const way = (...authMethods: object[]) => unattendedWay({ authMethods } as never, env)?.id ?? null

describe('a way to sign in without a person', () => {
  it('is one that takes variables, all of which are set', () => {
    const vars = (...names: string[]) => ({ vars: names.map((name) => ({ name })) })
    expect(way({ id: 'a', type: 'env_var', ...vars('MY_KEY') })).toBe('a')
    expect(way({ id: 'a', type: 'env_var', varName: 'MY_KEY' })).toBe('a')
    expect(way({ id: 'a', type: 'env_var', ...vars('MY_KEY', 'OTHER') })).toBeNull()
    expect(way({ id: 'a', type: 'env_var', ...vars('EMPTY_KEY') })).toBeNull()
    expect(way({ id: 'a', type: 'env_var' })).toBeNull()
    const some = { vars: [{ name: 'MY_KEY' }, { name: 'OTHER', optional: true }] }
    expect(way({ id: 'a', type: 'env_var', ...some })).toBe('a')
  })

  it('is one that is about a key and names a variable that is set', () => {
    expect(way({ id: 'my-api-key', name: 'Use MY_KEY' })).toBe('my-api-key')
    expect(way({ id: 'k', name: 'API key', description: 'Reads MY_KEY or OTHER_KEY' })).toBe('k')
    expect(way({ id: 'k', name: 'API key', description: 'Reads OTHER_KEY' })).toBeNull()
    expect(way({ id: 'k', name: 'API key' })).toBeNull()
  })

  it('never opens a browser or needs a terminal', () => {
    expect(way({ id: 'login', name: 'Log in', description: 'or set MY_KEY' })).toBeNull()
    expect(way({ id: 'key', type: 'terminal', name: 'Use MY_KEY' })).toBeNull()
  })

  it('is found among malformed ways', () => {
    expect(way({}, { id: 7 }, { id: 'a', type: 'env_var', vars: 'MY_KEY' })).toBeNull()
    expect(way({}, { id: 'a', type: 'env_var', varName: 'MY_KEY' })).toBe('a')
    expect(unattendedWay({ authMethods: null } as never, env)).toBeNull()
  })
})

describe('the message about an agent that needs the user to sign in', () => {
  const authMethods = [
    { id: 'a', name: 'API key', type: 'env_var', vars: [{ name: 'A_KEY' }, { name: 'A_URL' }] },
    { id: 'b', name: 'Log in', type: 'terminal', args: ['login'] },
    { id: 'c' },
  ] as never

  it('names the variables to set and the command to run', () => {
    const signIn = 'Set A_KEY, or sign in with `a login`.'
    expect(signInFirst({ command: 'a', signIn }, { authMethods }, { message: 'Not yet', tried: null })).toBe(
      'The agent "a" requires sign-in: Not yet. It offers: API key (set A_KEY and A_URL); Log in (run a login); c. Set A_KEY, or sign in with `a login`.',
    )
  })

  it('uses the usual name of the agent, and the own name of a program to run', () => {
    const said = signInFirst(
      { command: '/bin/a', name: 'mine' },
      { authMethods },
      { message: 'No', tried: null },
    )
    expect(said).toMatch(/^The agent "mine" requires .* Log in \(run \/bin\/a login\)/)
  })

  it('says that a way was tried in vain', () => {
    const said = signInFirst({ command: 'a' }, {}, { message: 'Bad key!', tried: { id: 'a' } as never })
    expect(said).toContain('requires sign-in: Bad key! It rejected the sign-in method "a". Sign in to it')
  })
})
