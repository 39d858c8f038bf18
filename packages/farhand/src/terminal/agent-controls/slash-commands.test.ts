import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { agentOffers, findMode, modesInWords, noOffers, offerChanges } from './agent-offers.ts'
import { findByName, parseModelArgument, parseOptionArgument } from './agent-options.ts'
import { slashHelp, unknownCommandInWords } from './slash-commands.ts'

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

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'code', name: 'Write code' }] }
const configOptions = [
  {
    id: 'm',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 'big-1',
    options: [
      { group: 'a', name: 'A', options: [{ value: 'big-1', name: 'Big' }] },
      { value: 'sm-1', name: 'Small' },
    ],
  },
  { id: 'web', name: 'Web search', type: 'boolean', currentValue: false },
]
const commands = update({
  sessionUpdate: 'available_commands_update',
  availableCommands: [{ name: 'review' }, { name: 'help' }, { name: 'wait for' }],
})

describe('what an agent offers', () => {
  it('are its modes, and what is in force: of the agent and of the run', () => {
    const run = { mode: 'background', policy: { base: 'deny', timeoutSeconds: 60 } }
    expect(modesInWords(offered(start({ modes })), run)).toBe(
      [
        "The agent's mode: ask (now), Write code",
        "The run's mode: interactive, background (now); policy deny: what the agent asks permission for is rejected",
      ].join('\n'),
    )
    const asked = { mode: 'interactive', policy: null }
    expect(modesInWords(offered(start({ modes: 'many' })), asked)).toBe(
      "The agent's mode: it has told of none\nThe run's mode: interactive (now), background",
    )
  })

  it('can be chosen by a part of the name, if only one has it', () => {
    const offers = offered(start({ modes }))
    expect(findMode(offers, 'Write')?.id).toBe('code')
    expect(findMode(offers, 'CODE')?.id).toBe('code')
    expect(findByName(['abc', 'abd'], 'ab', (one) => [one])).toBeNull()
    expect(findMode(offers, 'plan')).toBeNull()
  })

  it('are models and other options, grouped or not, which are listed and chosen by name', () => {
    const { options } = offered(start({ configOptions }))
    expect(parseModelArgument(options, '')).toEqual({ why: 'Model: Big (now), Small' })
    expect(parseModelArgument(options, 'small')).toMatchObject({
      option: { id: 'm' },
      choice: { value: 'sm-1' },
    })
    expect(parseModelArgument(options, 'big')).toEqual({ why: 'Model is Big already.' })
    expect(parseModelArgument(options, 'huge')).toEqual({
      why: 'Not one of them: huge. Model: Big (now), Small',
    })
    expect(parseOptionArgument(options, '')).toEqual({
      why: 'Model: Big (now), Small\nWeb search: on, off (now)',
    })
    expect(parseOptionArgument(options, 'web on')).toMatchObject({ choice: { value: true } })
    expect(parseOptionArgument(options, 'speed 3')).toMatchObject({
      why: expect.stringContaining('There are: m, web'),
    })
    expect(parseModelArgument([], '')).toEqual({ why: 'The agent offers no choice of models.' })
  })

  it('tell what has come into force, and nothing of what stays', () => {
    const before = offered(start({ modes, configOptions }))
    const [model, web] = configOptions
    const changed = [{ ...model, currentValue: 'sm-1' }, web]
    const after = [
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' }),
      update({ sessionUpdate: 'config_option_update', configOptions: changed }),
      update({ sessionUpdate: 'config_option_update', configOptions: 'nonsense' }),
    ].reduce(agentOffers, before)
    expect(offerChanges(before, after)).toEqual([
      "The agent's mode is now Write code.",
      'Model is now Small.',
    ])
    expect(offerChanges(after, after)).toEqual([])
  })

  it('are its commands, which help names after ours', () => {
    const names = slashHelp(offered(commands)).match(/\/[a-z]+/g)
    const own = [
      '/steer',
      '/cancel',
      '/mode',
      '/mode',
      '/model',
      '/model',
      '/set',
      '/set',
      '/more',
      '/detach',
      '/close',
    ]
    expect(names).toEqual([...own, '/review', '/wait'])
    expect(slashHelp(noOffers)).not.toContain("agent's own")
  })
})

describe('a line with a slash', () => {
  it.each(['/clsoe', '/stear say hello', '/tmp'])('is an unknown command: %j', (line) => {
    expect(unknownCommandInWords(line, offered(commands))).toContain(`no ${line.split(' ')[0]};`)
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
    expect(unknownCommandInWords(line, offered(commands))).toBeNull()
  })
})
