import type { Notification } from '@farhand/protocol/event'
import { type Line, runner, story, web } from '@farhand/protocol/story'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Orders } from '../turns/orders.ts'
import { startAgent } from './acp-agent.ts'
import type { AgentCommand } from './agent.ts'
import { AgentHost } from './agent-host.ts'
import { Heard, scripted } from './agent-under-test.ts'

const message: Line = [web, '_posthog/user_message', { content: 'one' }]
const ack: Line = [runner, '_posthog/ack', { for: 'user_message', id: 1 }]
const started = (how: string): Line => [
  runner,
  '_posthog/agent_start',
  { agent: 'a', sessionId: 'earlier', how },
]
const ended: Line = [runner, '_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }]

/** What a host says of the agent that it begins after all this, and whether that is to be briefed. */
async function begins(lines: Line[], command: AgentCommand = scripted({})) {
  const orders = new Orders()
  for (const event of story(...lines)) orders.take(event)
  const said: Notification[] = []
  const host = new AgentHost({
    id: 'a',
    command,
    ears: new Heard().ears,
    orders,
    say: (event) => said.push(event),
    start: (command, ears, signal) => startAgent(command, ears, { signal }),
    signal: new AbortController().signal,
  })
  onTestFinished(() => host.stop())
  const { isToBeBriefed } = await host.ready()
  return { said, isToBeBriefed, start: said[0]?.params }
}

describe('an agent that takes the place of one that died', () => {
  it('is in the session of that one if it can be', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, started('new'), ended])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'earlier', how: 'resumed' }, false])
  })

  it('before its first prompt returned is told of the log again, in a session that has no half of it', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, ack, started('briefed')])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'own', how: 'briefed' }, true])
  })

  it('after it had ended a turn remembers what it was told', async () => {
    const { start, isToBeBriefed } = await begins([message, ack, ack, started('briefed'), ended])
    expect([start, isToBeBriefed]).toMatchObject([{ sessionId: 'earlier', how: 'resumed' }, false])
  })
})

describe('servers of tools', () => {
  it('that an agent cannot reach are told to people', async () => {
    const web = { type: 'http' as const, name: 'web', url: 'https://a.example', headers: [] }
    const program = { name: 'program', command: 'p', args: [], env: [] }
    const { said } = await begins([], { ...scripted({}), mcpServers: [web, program] })
    expect(said.slice(1)).toMatchObject([
      { method: '_posthog/error', params: { message: expect.stringContaining('MCP server "web"') } },
    ])
  })
})
