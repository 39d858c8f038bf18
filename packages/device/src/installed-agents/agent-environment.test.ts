import { describe, expect, it } from 'vitest'
import { agentEnvironment, sandboxEnvironment } from './agent-environment.ts'

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

  it('has what its user chose where it would be given something, if it is known to take that', () => {
    const entry = { passes: ['MODE'], env: { MODE: 'ask', HOME: '{state}' } }
    const given = { HOME: '/state', TERM: 'dumb' }
    expect(agentEnvironment(entry, { MODE: 'auto', HOME: '/home/ada' }, '/state')).toEqual({
      ...given,
      MODE: 'auto',
    })
    expect(agentEnvironment(entry, {}, '/state')).toEqual({ ...given, MODE: 'ask' })
  })
})

describe("an agent's environment in a sandbox", () => {
  it('keeps all its files below its own folder, even if another folder is set', () => {
    const entry = { passes: ['THEIR_HOME'], env: { MODE: 'ask' }, sandboxEnv: { THEIR_HOME: '{state}/x' } }
    expect(sandboxEnvironment(entry, { PATH: '/bin', THEIR_HOME: '/elsewhere' }, '/state')).toEqual({
      PATH: '/bin',
      TERM: 'dumb',
      MODE: 'ask',
      THEIR_HOME: '/state/x',
    })
  })
})
