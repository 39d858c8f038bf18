import { hub, type Line, runner, sampleLog, secondRunner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { Budget } from './budget.ts'
import { exceeded } from './exceeded.ts'
import { wantsToContinue } from './wants-to-continue.ts'

// One second passes between lines; the first is at 0.
const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000
function after(...lines: Line[]): Budget {
  const budget = new Budget()
  for (const event of sampleLog(...lines)) budget.take(event)
  return budget
}

const message: Line = [web, '_posthog/user_message', { content: 'hi' }]
const ack = (id: number, by = runner): Line => [by, '_posthog/ack', { for: 'user_message', id }]
const done = (messageId: number, usage?: object): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn', ...(usage && { usage }) },
]
const chunk: Line = [runner, 'agent_message_chunk', { text: 'x' }]
const started = (sessionId: string, how = 'new'): Line => [
  runner,
  '_posthog/agent_start',
  { agent: 'a', sessionId, how },
]
const cost = (amount: unknown, currency = 'USD'): Line => [
  runner,
  'session/update',
  { update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } } },
]
const limits = (said: object): Line => [web, '_posthog/run_limits', { ...said }]
const questionId = 'qst_00000001'
const ask = (more: object = {}): Line => [
  runner,
  '_posthog/agent_question',
  { questionId, question: '?', ...more },
]
const answer = (said: unknown): Line => [web, '_posthog/user_response', { questionId, answer: said }]
const closed = (how = 'answered', more: object = {}): Line => [
  runner,
  '_posthog/question_closed',
  { questionId, how, ...more },
]
const restart: Line = [hub, '_posthog/session_start', { generation: 2 }]

describe('the used budget of a run', () => {
  it('counts turns that were begun, each once, however often it is continued', () => {
    expect(after(message).turns).toBe(0)
    expect(after(message, ack(1), done(1), message, ack(4)).turns).toBe(2)
    expect(after(message, ack(1), restart, ack(1, secondRunner)).turns).toBe(1)
  })

  it('counts what was said into a turn with that turn, unless it had to have its own', () => {
    const into: Line = [runner, '_posthog/ack', { for: 'user_message', id: 2, into: 1 }]
    const end: Line = [runner, '_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn', into: 1 }]
    expect(after(message, message, ack(1), into, done(1), end).turns).toBe(1)
    expect(after(message, message, ack(1), into, done(1), ack(2), done(2)).turns).toBe(2)
  })

  it('W29 does not count a message that was withdrawn before its ack, nor the time after it', () => {
    const withdrawn: Line = [web, '_posthog/message_edit', { messageId: 1, content: null }]
    const budget = after(message, withdrawn, ack(1))
    expect([budget.turns, budget.activeMs(at(100))]).toEqual([0, 0])
    const begun = after(message, ack(1), withdrawn)
    expect([begun.turns, begun.activeMs(at(11))]).toEqual([1, 10_000])
  })

  it('does not count a turn that a limit kept from beginning', () => {
    const stopped: Line = [runner, '_posthog/turn_complete', { messageId: 1, stopReason: 'limit' }]
    expect(after(message, ack(1), stopped).turns).toBe(0)
    expect(after(message, ack(1), stopped, stopped).turns).toBe(0)
    expect(after(message, ack(1), chunk, stopped).turns).toBe(1)
  })

  it('counts the time in turns, and not that between them', () => {
    const budget = after(message, ack(1), chunk, chunk, done(1), message, message, ack(6))
    expect(budget.activeMs(at(7))).toBe(3000)
    expect(budget.activeMs(at(17))).toBe(13_000)
  })

  it('counts the time of silent turns, and none between turns, even if a sandbox prints or users save files', () => {
    const noise: Line[] = [
      [runner, '_posthog/console', { level: 'info', message: 'npm notice' }],
      [runner, '_posthog/sandbox_output', { id: 'one', stdout: 'still here' }],
      [runner, '_posthog/file_change', { path: 'a', action: 'deleted', hash: null }],
      [web, 'session/set_mode', { modeId: 'plan' }],
    ]
    expect(after(message, ...noise).activeMs(at(9000))).toBe(0)
    expect(after(message, ack(1)).activeMs(at(9001))).toBe(9_000_000)
    expect(after(message, ack(1), ...noise).activeMs(at(9001))).toBe(9_000_000)
    expect(after(message, ack(1), done(1), ...noise).activeMs(at(9000))).toBe(1000)
  })

  it('does not count the time in which the agent waited for the user', () => {
    const waiting = [message, ack(1), chunk, ask()]
    expect(after(...waiting).activeMs(at(1000))).toBe(2000)
    expect(after(...waiting, chunk, chunk, closed(), done(1)).activeMs(at(1000))).toBe(3000)
  })

  it('does not count the time in which there was no runner, nor waits for questions of a dead one', () => {
    const dead = [message, ack(1), chunk, message, message, restart]
    expect(after(...dead).activeMs(at(1000))).toBe(1000)
    expect(after(...dead, message, ack(1, secondRunner), message).activeMs(at(8))).toBe(2000)
    const asked = after(message, ack(1), ask(), restart, ack(1, secondRunner))
    expect(asked.activeMs(at(14))).toBe(11_000)
  })

  it('adds up the cost of sessions, each of which reports its own sum', () => {
    expect(after(cost(0.1), cost(0.25)).costUsd).toBe(0.25)
    expect(after(started('a'), cost(0.5), started('b'), cost(0.25)).costUsd).toBe(0.75)
    expect(after(started('a'), cost(0.5), started('b')).costUsd).toBe(0.5)
  })

  it('does not add twice what a session that was loaded again goes on counting', () => {
    expect(after(started('a'), cost(0.5), started('a', 'loaded'), cost(0.75)).costUsd).toBe(0.75)
    expect(after(started('a'), cost(0.5), started('a', 'loaded'), cost(0.25)).costUsd).toBe(0.75)
  })

  it('takes what a turn cost from its end, unless the agent told it before', () => {
    const usage = { cost: { amount: 0.5, currency: 'usd' } }
    expect(after(message, ack(1), done(1, usage), done(1, usage)).costUsd).toBe(1)
    expect(after(message, ack(1), cost(0.5), done(1, usage)).costUsd).toBe(0.5)
  })

  it('tells whether the cost is known at all: tokens and other currencies are no dollars', () => {
    for (const lines of [[], [cost(1, 'EUR')], [cost('1')], [cost(-1)], [done(1, { totalTokens: 7 })]]) {
      const budget = after(message, ...(lines as Line[]))
      expect([budget.isCostTold, budget.costUsd]).toEqual([false, 0])
    }
    expect(after(cost(0)).isCostTold).toBe(true)
  })

  it('W17 takes what it says itself and does not read back', () => {
    const budget = new Budget()
    for (const [, method, params] of [started('a'), cost(0.5), started('b'), cost(0.25), ack(1), done(1)])
      budget.takeOwn({ jsonrpc: '2.0', method, ...(params && { params }) })
    expect([budget.costUsd, budget.turns]).toEqual([0.75, 0])
  })
})

describe('a limit', () => {
  it('is what a user set last; null removes it', () => {
    expect(after(limits({ turns: 3, costUsd: 1 }), limits({ turns: null })).limits).toEqual({
      turns: null,
      costUsd: 1,
    })
    expect(exceeded(after(message, ack(1), limits({ turns: null })), 'before', at(9))).toBeNull()
    expect(exceeded(after(message, ack(1)), 'before', at(9))).toBeNull()
  })

  it('on turns is reached before one more begins, and never during the last', () => {
    const two = [limits({ turns: 2 }), message, message, ack(2), done(2)]
    expect(exceeded(after(...two), 'before', at(9))).toBeNull()
    expect(exceeded(after(...two, ack(3)), 'during', at(9))).toBeNull()
    expect(exceeded(after(...two, ack(3), done(3)), 'before', at(9))).toEqual({
      limit: 'turns',
      question: {
        question: 'This run has used 2 turns of the 2 turns that you allowed. Go on?',
        kind: 'question',
        options: [
          { optionId: 'continue', name: 'Continue, up to 4 turns in all' },
          { optionId: 'stop', name: 'Stop here' },
        ],
        limits: { turns: 4 },
      },
    })
  })

  it('on cost and on time is reached in the middle of a turn', () => {
    const dear = after(limits({ costUsd: 0.5 }), cost(0.49))
    expect(exceeded(dear, 'during', at(9))).toBeNull()
    expect(exceeded(after(limits({ costUsd: 0.5 }), cost(1.25)), 'during', at(9))).toMatchObject({
      limit: 'costUsd',
      question: { question: expect.stringContaining('$1.25 of the $0.50'), limits: { costUsd: 2 } },
    })
    const long = after(limits({ wallSeconds: 90 }), message, ack(2))
    expect(exceeded(long, 'during', at(91))).toBeNull()
    expect(exceeded(long, 'during', at(92))).toMatchObject({
      limit: 'wallSeconds',
      question: { question: expect.stringContaining('1 min 30 s'), limits: { wallSeconds: 180 } },
    })
  })

  it('of nothing can be gone beyond too, and what continuing allows is always more than what is spent', () => {
    expect(exceeded(after(limits({ turns: 0 })), 'before', at(0))).toMatchObject({
      question: { limits: { turns: 1 } },
    })
    expect(exceeded(after(limits({ costUsd: 0 }), cost(5)), 'before', at(0))).toMatchObject({
      question: { limits: { costUsd: 8 } },
    })
  })

  it('is raised by an answer to go on, in any of its forms, and the log says so for ever', () => {
    const { question } = exceeded(after(limits({ turns: 0 })), 'before', at(0))!
    const asked = [limits({ turns: 0 }), ask(question)]
    for (const said of ['continue', 'Continue, up to 1 turn in all', 1, 'yes', true])
      expect(after(...asked, answer(said), closed()).limits, String(said)).toEqual({ turns: 1 })
    expect(after(...asked, closed('answered', { answer: 'continue', by: 'policy:terms' })).limits).toEqual({
      turns: 1,
    })
  })

  it('stays when the answer is to stop, fits nothing, comes second, or there is none', () => {
    const { question } = exceeded(after(limits({ turns: 0 })), 'before', at(0))!
    const asked = [limits({ turns: 0 }), ask(question)]
    for (const rest of [
      [answer('stop'), closed()],
      [answer('no'), closed()],
      [answer('hm'), closed()],
      [answer('stop'), answer('continue'), closed()],
      [answer('continue')],
      [answer('continue'), closed('superseded')],
      [answer('continue'), closed('cancelled')],
      [closed('expired')],
      [restart, answer('continue'), closed()],
    ])
      expect(after(...asked, ...rest).limits, JSON.stringify(rest)).toEqual({ turns: 0 })
  })

  it('is not raised by a question of the agent that only looks alike', () => {
    expect(
      after(
        limits({ turns: 0 }),
        ask({ options: [{ optionId: 'continue', name: 'x' }] }),
        answer('continue'),
        closed(),
      ).limits,
    ).toEqual({ turns: 0 })
    expect(wantsToContinue({ options: ['continue'] }, 'continue')).toBeNull()
  })
})
