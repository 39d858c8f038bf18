import { describe, expect, it } from 'vitest'
import { gitEnvironment, proxyEnvironment } from './child-environment.ts'

describe('the environment behind a proxy', () => {
  it('names it in both cases, and takes the place of one that is outside', () => {
    const env = proxyEnvironment(
      { PATH: '/bin', https_proxy: 'http://outside:3128', NO_PROXY: 'corp', ALL_PROXY: 'socks5://x' },
      4321,
    )
    const named = Object.entries(env).filter(([name]) => /^(HTTPS?|ALL)_PROXY$/i.test(name))
    expect(named.map(([name]) => name).sort()).toEqual(
      ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'all_proxy', 'http_proxy', 'https_proxy'].sort(),
    )
    expect(new Set(named.map(([, value]) => value))).toEqual(new Set(['http://127.0.0.1:4321']))
    expect([env.NO_PROXY, env.no_proxy]).toEqual(['localhost,127.0.0.1,::1', 'localhost,127.0.0.1,::1'])
    expect(env.PATH).toBe('/bin')
  })
})

describe('the environment of git', () => {
  const door = 'http://127.0.0.1:4321/git/'

  it('sends each spelling of a remote through the hub’s socket, after the settings that were there before', () => {
    const env = gitEnvironment(
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Me' },
      { door, remotes: ['https://git.example:8443/owner/'] },
    )
    expect(env).toMatchObject({
      GIT_CONFIG_COUNT: '5',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_KEY_1: `http.${door}.proxy`,
      GIT_CONFIG_VALUE_1: '',
      GIT_CONFIG_KEY_2: `url.${door}https/git.example:8443/owner/.insteadOf`,
      GIT_CONFIG_VALUE_2: 'https://git.example:8443/owner/',
      GIT_CONFIG_VALUE_3: 'ssh://git@git.example/owner/',
      GIT_CONFIG_VALUE_4: 'git@git.example:owner/',
    })
  })

  it('sends its token to the hub’s socket and nowhere else, and not in an address, which others can read', () => {
    const env = gitEnvironment({}, { door, shows: 'Word: x', remotes: ['https://git.example/owner/'] })
    expect(env).toMatchObject({ GIT_CONFIG_KEY_1: `http.${door}.extraHeader`, GIT_CONFIG_VALUE_1: 'Word: x' })
    expect(Object.values(env).filter((value) => value.includes('Word'))).toHaveLength(1)
  })

  it('makes git ask no user for a password', () => {
    expect(gitEnvironment({ GIT_ASKPASS: '/bin/ask' }, { door, remotes: [] })).toMatchObject({
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
    })
  })
})
