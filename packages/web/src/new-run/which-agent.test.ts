import type { AvailableAgents, ListedAgent } from '@farhand/protocol/schemas/available-agents'
import { describe, expect, it } from 'vitest'
import { agentHint, missingAgentsInWords, preselectedAgent } from './which-agent.ts'

const agent = (id: string, state: ListedAgent['state'], more: Partial<ListedAgent> = {}): ListedAgent => ({
  id,
  name: id.toUpperCase(),
  state,
  missing: [],
  install: null,
  ...more,
})
const here = (...agents: ListedAgent[]): AvailableAgents => ({ agents, sandboxes: [], usual: 'auto' })

describe('the choice of an agent', () => {
  it('proposes the one of last time, else one that can work, and the rehearsal last', () => {
    const all = here(agent('rehearsal', 'usable'), agent('codex', 'unset'), agent('opencode', 'usable'))
    expect(preselectedAgent(all, 'codex')).toBe('codex')
    expect(preselectedAgent(all, 'gone')).toBe('opencode')
    expect(preselectedAgent(here(agent('codex', 'unset'), agent('rehearsal', 'usable')), '')).toBe(
      'rehearsal',
    )
    expect(preselectedAgent(here(), 'codex')).toBe('')
  })

  it('says why an agent cannot work, and what to do', () => {
    expect(agentHint(agent('a', 'usable'))).toBeNull()
    expect(agentHint(agent('a', 'unset', { missing: [['X', 'Y'], ['Z']] }))).toContain('X or Y, and Z')
    expect(agentHint(agent('a', 'maybe', { missing: [['X']] }))).toContain('a secret for it: X')
    expect(agentHint(agent('a', 'not-installed', { install: 'npm i -g a' }))).toContain('There: npm i -g a')
  })
  it('names other agents that could be set up', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => agent(id, 'not-installed')) as ListedAgent[]
    const ready = agent('opencode', 'usable')
    expect(missingAgentsInWords(here(ready, agent('m', 'maybe')))).toBeNull()
    expect(missingAgentsInWords(here(ready, a!))).toBe('A is not set up where the hub is.')
    expect(missingAgentsInWords(here(ready, a!, b!))).toBe('A and B are not set up where the hub is.')
    expect(missingAgentsInWords(here(ready, a!, b!, c!))).toBe('A, B and C are not set up where the hub is.')
    expect(missingAgentsInWords(here(ready, a!, b!, c!, d!))).toBe(
      'A, B and 2 others are not set up where the hub is.',
    )
    expect(missingAgentsInWords(here(agent('rehearsal', 'usable'), a!))).toMatch(
      /^The rehearsal only plays an agent\. A is/,
    )
  })
})
