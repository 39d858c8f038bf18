import { describe, expect, it } from 'vitest'
import { agentEnvironment } from './agent-environment.ts'

const env = {
  PATH: '/bin',
  HOME: '/home/ada',
  LC_ALL: 'C',
  XDG_CONFIG_HOME: '/home/ada/.config',
  MY_KEY: 'k',
  AWS_SECRET_ACCESS_KEY: 'secret',
  FARHAND_TOKEN: 'secret',
  FARHAND_RUNNER_TOKEN: 'secret',
  NODE_OPTIONS: '--inspect',
  TERM: 'xterm',
}

describe("an agent's environment", () => {
  it('holds what every program needs and what this one is known to want, and nothing else', () => {
    expect(agentEnvironment({ passes: ['MY_KEY', 'NOT_SET'], env: {} }, env, '/state')).toEqual({
      PATH: '/bin',
      HOME: '/home/ada',
      LC_ALL: 'C',
      XDG_CONFIG_HOME: '/home/ada/.config',
      MY_KEY: 'k',
      TERM: 'dumb',
    })
  })

  it('has a folder of its own in what it is always given', () => {
    const given = agentEnvironment(
      { passes: [], env: { THEIR_HOME: '{state}/x', TERM: 'vt100' } },
      {},
      '/state',
    )
    expect(given).toEqual({ THEIR_HOME: '/state/x', TERM: 'vt100' })
  })
})
