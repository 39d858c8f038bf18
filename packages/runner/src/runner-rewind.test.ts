import { post } from '@farhand/client/post/post'
import { addressOf, createRun } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { type Script, scripted } from './agent/agent-under-test.ts'
import { RunUnderTest } from './runner-under-test.ts'

/** Keeps its session for ever, says what it was told, and hangs when it is told to until it is cancelled. */
const script: Script = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  'session/new': ({ process }) => ({ sessionId: `s${process.pid}` }),
  'session/resume': () => ({}),
  'session/prompt': async ({ say, heard }, { prompt }: { prompt: { text: string }[] }) => {
    say(`I was told: ${prompt.map(({ text }) => text).join(' | ')}`)
    if (prompt.at(-1)!.text !== 'hang') return { stopReason: 'end_turn' }
    await heard('session/cancel')
    say('My last words')
    return { stopReason: 'cancelled' }
  },
}
const begin = () => RunUnderTest.begin({ id: 'mine', command: () => scripted(script) })

const told = (turn: readonly Notification[]) =>
  turn
    .flatMap(({ method, params }) => (method === 'agent_message_chunk' ? [String(params?.text)] : []))
    .join('')

const ends = (method: string, params: object) => (event: { notification: Notification }) =>
  event.notification.method === method &&
  Object.entries(params).every(([name, value]) => event.notification.params?.[name] === value)

describe('a run that is rewound', () => {
  it('W39 goes on with an agent that was told what was said until then, and back again', async () => {
    const run = await begin()
    await run.start()
    await run.turn('the apple')
    const afterApple = (await run.until(ends('_posthog/turn_complete', {}))).id
    expect(told(await run.turn('the pear')), 'its own memory serves').toBe('I was told: the pear')
    const rewound = await run.say('_posthog/rewind', { to: afterApple })
    const third = told(await run.turn('the plum'))
    expect(third).toMatch(/take over work.*the apple.*the plum/s)
    expect(third).not.toContain('pear')
    expect(told(await run.turn('and')), 'it has a session of its own').toBe('I was told: and')

    await run.say('_posthog/rewind', { to: rewound - 1 })
    await run.stop()
    await run.start()
    const last = told(await run.turn('now'))
    expect(last).toMatch(/take over work.*the apple.*the pear.*now/s)
    expect(last).not.toContain('plum')
  })

  it('W39 right after a message that no agent has begun with gives that to another agent, too', async () => {
    const run = await begin()
    await run.start()
    await run.turn('the apple')
    const afterApple = (await run.until(ends('_posthog/turn_complete', {}))).id
    await run.turn('the pear')
    const notification = (method: string, params: object) =>
      ({ jsonrpc: '2.0', method, params: { ...params } }) as const
    const { ids } = await post(run.user, run.at, [
      notification('_posthog/user_message', { content: 'the plum' }),
      notification('_posthog/rewind', { to: afterApple }),
    ])
    const turn: Notification[] = []
    await run.until((event) => {
      if (event.id > ids[1]!) turn.push(event.notification)
      return ends('_posthog/turn_complete', { messageId: ids[0] })(event)
    })
    expect(told(turn)).toMatch(/take over work.*the apple.*the plum/s)
    expect(told(turn)).not.toContain('pear')
  })

  it('W39 in the middle of a turn ends that, does what waits, and tells nothing of its last words', async () => {
    const run = await begin()
    await run.start()
    await run.turn('the apple')
    const afterApple = (await run.until(ends('_posthog/turn_complete', {}))).id
    const hang = await run.say('_posthog/user_message', { content: 'hang' })
    await run.until(ends('agent_message_chunk', { text: 'I was told: hang' }))
    const waits = await run.say('_posthog/user_message', { content: 'the plum' })
    await run.say('_posthog/rewind', { to: afterApple })
    const end = await run.until(ends('_posthog/turn_complete', { messageId: hang }))
    expect(end.notification.params).toMatchObject({ stopReason: 'cancelled' })
    const turn: Notification[] = []
    await run.until((event) => {
      if (event.id > end.id) turn.push(event.notification)
      return ends('_posthog/turn_complete', { messageId: waits })(event)
    })
    expect(told(turn)).toMatch(/take over work.*the apple.*the plum/s)
    expect(told(turn)).not.toMatch(/last words|> hang/)
    expect(told(await run.turn('now'))).toBe('I was told: now')
  })
})

describe('a fork', () => {
  it('W39 goes on in a session of its own, told what was said before, and continues no turn', async () => {
    const run = await begin()
    await run.start()
    await run.turn('the apple')
    await run.say('_posthog/user_message', { content: 'hang' })
    const hanging = await run.until(ends('agent_message_chunk', { text: 'I was told: hang' }))
    await run.stop()
    const { user, at } = run
    const body = { fork: { run: at.run, event: hanging.id } }
    const made = await createRun(user, at.project, at.task, body)
    const fork = await run.beside(addressOf(made))
    await fork.start()
    const said = told(await fork.turn('the plum'))
    expect(said).toMatch(/take over work.*the apple.*hang.*the plum/s)
    expect(said).not.toContain('interrupted while')
    const after = await fork.until(({ id }) => id > hanging.id + 1)
    expect(after.notification).toMatchObject({ method: '_posthog/session_start', params: { generation: 2 } })
  })
})
