import type { SeenEvent } from '@farhand/protocol/seen-event'
import { describe, expect, it } from 'vitest'
import { agentOffers, mistypedInWords, modesInWords, noOffers, talkHelp } from './talk-commands.ts'

const event = (method: string, params: Record<string, unknown>): SeenEvent => ({
  id: 1,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: { kind: 'runner', generation: 1 },
})
const start = (more: object) =>
  event('_posthog/agent_start', { agent: 'a', sessionId: 's', how: 'new', ...more })
const update = (said: object) => event('session/update', { update: said })
const offered = (...events: SeenEvent[]) => events.reduce(agentOffers, noOffers)

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'code' }] }
const commands = update({
  sessionUpdate: 'available_commands_update',
  availableCommands: [{ name: 'review' }, { name: 'help' }, { name: 'wait for' }],
})

describe('what an agent offers', () => {
  it('are its modes, and the one it is in now', () => {
    expect(modesInWords(offered(start({ modes })))).toBe(
      'Of the agent: ask (now), code. Of the run: interactive, background.',
    )
    const changed = offered(
      start({ modes }),
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' }),
    )
    expect(modesInWords(changed)).toContain('ask, code (now).')
    expect(modesInWords(offered(start({ modes: 'many' })))).toContain('it has told of none')
  })

  it('are its commands, which help names after ours', () => {
    const names = talkHelp(offered(commands)).match(/\/[a-z]+/g)
    expect(names).toEqual(['/steer', '/cancel', '/mode', '/mode', '/detach', '/close', '/review', '/wait'])
    expect(talkHelp(noOffers)).not.toContain("agent's own")
  })
})

describe('a line with a slash', () => {
  it.each(['/clsoe', '/stear say hello', '/tmp'])('is a command that nobody knows: %j', (line) => {
    expect(mistypedInWords(line, offered(commands))).toContain(`no ${line.split(' ')[0]};`)
  })

  it.each([
    '/etc/passwd',
    '/etc/passwd is odd',
    '/a.txt',
    '/',
    '/ x',
    'see /etc',
    '/review',
    '/wait for it',
    '/x-y',
  ])('is for the agent: %j', (line) => {
    expect(mistypedInWords(line, offered(commands))).toBeNull()
  })
})
