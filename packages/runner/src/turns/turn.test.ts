import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { type Notification, StoredEvent } from '@farhand/protocol/wire/event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '../agent/agent.ts'
import { AgentHost } from '../host/agent-host.ts'
import { Allowance } from '../limits/allowance.ts'
import { Budget } from '../limits/budget.ts'
import { Orders } from '../orders/orders.ts'
import { PendingQuestions } from '../questions/pending-questions.ts'
import { Turn } from './turn.ts'

const hoursMs = 3 * 3600_000

/** One turn whose log is a list, and an agent that does nothing until it is told what to answer. */
function began(
  start: (agent: Agent) => Promise<Agent>,
  limits: Record<string, unknown> = {},
  blocks: () => Promise<ContentBlock[]> = async () => [{ type: 'text', text: 'build it' }],
  mode?: 'background',
) {
  const log: Notification[] = []
  const orders = new Orders()
  const budget = new Budget()
  const append = (notification: Notification, kind: 'web' | 'runner') => {
    log.push(notification)
    const by = kind === 'web' ? { kind, id: 'usr_someone0' } : { kind, generation: 1 }
    const timestamp = new Date().toISOString()
    const event = StoredEvent.parse({ id: log.length, type: 'notification', timestamp, notification, by })
    orders.take(event)
    budget.take(event)
  }
  const mark = async (event: Notification) => append(event, 'runner')
  let answer = (_: PromptResponse) => {}
  const agent: Agent = {
    said: { protocolVersion: 1 },
    newSession: async () => ({ sessionId: 'own', modes: null, configOptions: null }),
    loadSession: () => Promise.reject(new Error('it cannot')),
    resumeSession: () => Promise.reject(new Error('it cannot')),
    prompt: () => new Promise((resolve) => (answer = resolve)),
    canBeSteered: false,
    steer: async () => false,
    cancel: () => answer({ stopReason: 'cancelled' }),
    setMode: async () => {},
    setConfigOption: async () => [],
    pauseReading() {},
    resumeReading() {},
    ended: new Promise(() => {}),
    stop: async () => ({ code: 0, signal: null, lastWords: '' }),
  }
  const host = new AgentHost({
    id: 'fake',
    command: { command: 'fake', args: [], env: {}, cwd: '/' },
    handlers: { update() {}, asked() {}, unknown() {} },
    orders,
    emit: (event) => append(event, 'runner'),
    start: () => start(agent),
    signal: new AbortController().signal,
  })
  append({ jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'build it' } }, 'web')
  append({ jsonrpc: '2.0', method: '_posthog/run_limits', params: limits }, 'web')
  if (mode) append({ jsonrpc: '2.0', method: '_posthog/mode_change', params: { mode } }, 'web')
  const asking = new PendingQuestions({ orders, mark })
  const turn = new Turn(
    {
      orders,
      host,
      mark,
      blocks,
      allowance: new Allowance(budget, asking),
      activity: () => 0,
      agentGone() {},
      settled: async () => {},
    },
    1,
    false,
  )
  return { turn, host, log, orders, over: turn.run(), answer: (end: PromptResponse) => answer(end) }
}

const endOf = (log: readonly Notification[]) =>
  log.filter(({ method }) => method === '_posthog/turn_complete').map(({ params }) => params?.stopReason)

describe('a turn', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('in which the agent says nothing for three hours goes on, and ends when the agent ends it', async () => {
    const { log, over, answer } = began(async (agent) => agent)
    await vi.advanceTimersByTimeAsync(hoursMs)
    expect(endOf(log)).toEqual([])
    answer({ stopReason: 'end_turn' })
    await over
    expect(endOf(log)).toEqual(['end_turn'])
  })

  it('that waits for leave to begin leaves its message to those who come later when it is cancelled', async () => {
    const { turn, log, orders, over } = began(async (agent) => agent, { turns: 0 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(log.at(-1)?.method).toBe('_posthog/agent_question')
    turn.cancel()
    await over
    expect(log.at(-1)).toMatchObject({ method: '_posthog/question_closed', params: { how: 'cancelled' } })
    expect(orders.view.unacked).toEqual([[1]])
  })

  it('W65 in background mode does not begin at a limit, and does not wait for a user to allow it', async () => {
    const { log, over } = began(async (agent) => agent, { turns: 0 }, undefined, 'background')
    await over
    expect(
      log.filter(({ method }) => method === '_posthog/question_closed').map(({ params }) => params),
    ).toEqual([expect.objectContaining({ how: 'answered', answer: 'stop', by: 'policy:background' })])
    expect(endOf(log)).toEqual(['limit'])
  })

  describe('before which a mode was chosen', () => {
    const careful = StoredEvent.parse({
      id: 1,
      type: 'notification',
      timestamp: new Date(0).toISOString(),
      notification: { jsonrpc: '2.0', method: 'session/set_mode', params: { modeId: 'careful' } },
      by: { kind: 'web', id: 'usr_someone0' },
    })

    /** An agent that takes its time with the modes that are chosen while it starts: what it was asked for, in order. */
    async function slow(...chosen: StoredEvent[]) {
      const asked: string[] = []
      let take = () => {}
      let start = () => {}
      const { host, over, ...more } = began(async (agent) => {
        const { prompt } = agent
        await new Promise<void>((resolve) => (start = resolve))
        return Object.assign(agent, {
          setMode(modeId: string) {
            asked.push(modeId)
            return new Promise<void>((resolve) => (take = resolve))
          },
          prompt(blocks: readonly ContentBlock[]) {
            asked.push('prompt')
            return prompt(blocks)
          },
        })
      })
      await vi.advanceTimersByTimeAsync(1)
      for (const one of chosen) void host.heard(one)
      start()
      await vi.advanceTimersByTimeAsync(1000)
      return { asked, over, take: () => take(), ...more }
    }

    it('begins when the agent has taken it: some do what they are asked for side by side', async () => {
      const { asked, over, take, answer } = await slow(careful)
      expect(asked).toEqual(['careful'])
      take()
      await vi.advanceTimersByTimeAsync(1000)
      expect(asked).toEqual(['careful', 'prompt'])
      answer({ stopReason: 'end_turn' })
      await over
    })

    it('tells the agent of one mode after the other', async () => {
      const plan = { ...careful, notification: { ...careful.notification, params: { modeId: 'plan' } } }
      const { asked, take } = await slow(careful, plan)
      expect(asked).toEqual(['careful'])
      take()
      await vi.advanceTimersByTimeAsync(1000)
      expect(asked).toEqual(['careful', 'plan'])
    })

    it('does not wait for ever for an agent that never says whether it takes it, and can be cancelled meanwhile', async () => {
      const { asked } = await slow(careful)
      await vi.advanceTimersByTimeAsync(20_000)
      expect(asked).toEqual(['careful', 'prompt'])
      const other = await slow(careful)
      other.turn.cancel()
      await other.over
      expect([other.asked, endOf(other.log)]).toEqual([['careful'], ['cancelled']])
    })
  })

  it('that was cancelled is called so, though the agent says nothing but that it has ended', async () => {
    const { turn, log, over, answer } = began(async (agent) => Object.assign(agent, { cancel() {} }))
    await vi.advanceTimersByTimeAsync(1000)
    turn.cancel()
    answer({ stopReason: 'end_turn' })
    await over
    expect(log.at(-1)?.params).toEqual({ messageId: 1, stopReason: 'cancelled' })
  })

  it('is cancelled at once while its agent starts, even if that never comes to an end', async () => {
    const { turn, log, over } = began(() => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(1000)
    turn.cancel()
    await over
    expect(endOf(log)).toEqual(['cancelled'])
  })

  it('is cancelled at once while what was attached to its message is fetched', async () => {
    const { turn, log, over } = began(
      async (agent) => agent,
      {},
      () => new Promise(() => {}),
    )
    await vi.advanceTimersByTimeAsync(1000)
    turn.cancel()
    await over
    expect(endOf(log)).toEqual(['cancelled'])
  })
})
