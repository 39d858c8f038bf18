import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAgent } from '../agent/acp-agent.ts'
import type { AgentCommand } from '../agent/agent.ts'
import { Heard, scripted } from '../agent/agent-under-test.ts'
import type { AvailableSession } from '../memory/available-session.ts'
import { Orders } from '../orders/orders.ts'
import { AgentHost } from './agent-host.ts'

const message: Line = [web, '_posthog/user_message', { content: 'one' }]
const ack: Line = [runner, '_posthog/ack', { for: 'user_message', id: 1 }]
const started = (how: string): Line => [
  runner,
  '_posthog/agent_start',
  { agent: 'a', sessionId: 'earlier', how },
]
const ended: Line = [runner, '_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }]

/** What a host says of the agent that it begins after all this, and whether that is to be briefed. */
async function begins(lines: Line[], command: AgentCommand = scripted({}), here?: AvailableSession) {
  const orders = new Orders()
  for (const event of sampleLog(...lines)) orders.take(event)
  const said: Notification[] = []
  const host = new AgentHost({
    id: 'a',
    command,
    handlers: new Heard().handlers,
    orders,
    emit: (event) => said.push(event),
    start: (command, handlers, signal) => startAgent(command, handlers, { signal }),
    signal: new AbortController().signal,
    memory: here ? { here: async () => here, told: () => {} } : null,
  })
  onTestFinished(() => host.stop())
  const { isToBeBriefed, since } = await host.ready()
  return { said, isToBeBriefed, since, start: said[0]?.params }
}

describe('an agent that takes the place of one that died', () => {
  it('is in the session of that one if it can be', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, started('new'), ended])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'earlier', how: 'resumed' }, false])
  })

  it('before its first prompt returned is told the log again, in a new session without half of it', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, ack, started('briefed')])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'own', how: 'briefed' }, true])
  })

  it('after it had ended a turn remembers what it was told', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, ack, started('briefed'), ended])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'earlier', how: 'resumed' }, false])
  })
})

describe('W38 an agent in another place', () => {
  const lines = [message, ack, started('new'), ended]

  it('is in the session that was restored there, and is to be told what came after', async () => {
    const { start, isToBeBriefed, since } = await begins(lines, scripted({}), {
      is: 'as-of',
      sessionId: 'put back',
      since: 3,
    })
    expect([start, isToBeBriefed, since]).toMatchObject([{ sessionId: 'put back', how: 'resumed' }, false, 3])
  })

  it('is told all of it if it does not take that session', async () => {
    const refuse = () => {
      throw { code: -32603, message: 'no such session' }
    }
    const refusing = scripted({ 'session/resume': refuse, 'session/load': refuse })
    const here = { is: 'as-of', sessionId: 'put back', since: 3 } as const
    const { start, isToBeBriefed, since } = await begins(lines, refusing, here)
    expect([start, isToBeBriefed, since]).toMatchObject([{ sessionId: 'own', how: 'briefed' }, true, null])
  })

  it('is not asked for a session that has no files there', async () => {
    const { start, isToBeBriefed } = await begins(lines, scripted({}), { is: 'gone' })
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'own', how: 'briefed' }, true])
  })
})

describe('MCP servers', () => {
  it('that an agent cannot reach are reported to the user', async () => {
    const web = { type: 'http' as const, name: 'web', url: 'https://a.example', headers: [] }
    const program = { name: 'program', command: 'p', args: [], env: [] }
    const { said } = await begins([], { ...scripted({}), mcpServers: [web, program] })
    expect(said.slice(1)).toMatchObject([
      { method: '_posthog/error', params: { message: expect.stringContaining('MCP server "web"') } },
    ])
  })
})
