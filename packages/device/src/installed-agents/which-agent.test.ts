import { AgentEntry } from '@farhand/runner/catalogue/agent-entry'
import type { FoundAgent } from '@farhand/runner/catalogue/detect-agents'
import { describe, expect, it } from 'vitest'
import { whichAgent } from './which-agent.ts'

const agent = (id: string, is: FoundAgent['is'], command = id): FoundAgent => ({
  entry: AgentEntry.parse({ id, name: id, command }),
  is,
  program: is === 'not-installed' ? null : [command],
  missing: [],
})
const ours = [agent('builtin', 'unset', 'farhand'), agent('rehearsal', 'usable', 'farhand')]
const asked = (found: FoundAgent[], { last = null as string | null, isFar = true } = {}) => {
  const which = whichAgent({ found, last, isFar })
  return which.is === 'this' ? `${which.id}, ${which.why}` : which.among.map(({ entry }) => entry.id)
}

describe('an agent that the user did not name', () => {
  it('is the one that worked on this folder last, as long as it is known', () => {
    const found = [agent('claude', 'usable'), agent('codex', 'usable'), ...ours]
    expect(asked(found, { last: 'codex' })).toBe('codex, last')
    expect(asked(found, { last: 'rehearsal' })).toBe('rehearsal, last')
    expect(asked(found, { last: 'gone' })).toEqual(['claude', 'codex', 'builtin', 'rehearsal'])
  })

  it('is the only one that can work; that is never the one that only plays an agent', () => {
    expect(asked([agent('claude', 'not-installed'), agent('codex', 'usable'), ...ours])).toBe('codex, only')
    expect(asked([agent('builtin', 'usable', 'farhand'), ours[1]!])).toBe('builtin, only')
    expect(asked(ours)).toEqual(['builtin', 'rehearsal'])
  })

  it('may be one that is signed in, but not in a sandbox', () => {
    const found = [agent('claude', 'maybe'), ...ours]
    expect(asked(found, { isFar: false })).toBe('claude, only')
    expect(asked(found)).toEqual(['builtin', 'rehearsal'])
  })
})
