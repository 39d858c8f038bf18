import { hub, type Line, runner, sampleLog, secondRunner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { nextStep, type TurnUnderWay, type UnderWay } from './next-step.ts'

function after(...lines: Line[]): Orders {
  const orders = new Orders()
  for (const event of sampleLog(...lines)) orders.take(event)
  return orders
}
const idle: UnderWay = { generation: 1, turn: null, ending: new Set() }
const second: UnderWay = { ...idle, generation: 2 }
const busy = (
  messageId: number,
  { isCancelled = false, steering = 'cancels' as TurnUnderWay['steering'], joined = [] as number[] } = {},
): UnderWay => ({ ...idle, turn: { messageId, isCancelled, steering, joined: new Set(joined) } })

const start = (generation: number): Line => [hub, '_posthog/session_start', { generation }]
const message: Line = [web, '_posthog/user_message', { content: 'hi' }]
const steer: Line = [web, '_posthog/user_message', { content: 'no, this', when: 'steer' }]
const ack = (id: number, by = runner): Line => [by, '_posthog/ack', { for: 'user_message', id }]
const join = (id: number, into: number, by = runner): Line => [
  by,
  '_posthog/ack',
  { for: 'user_message', id, into },
]
const done = (messageId: number, by = runner): Line => [
  by,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn' },
]
const cancel: Line = [web, '_posthog/cancel', {}]
const pause: Line = [web, '_posthog/pause', {}]
const close: Line = [web, '_posthog/close', {}]
const tool: Line = [runner, 'tool_call', { toolCallId: 't' }]
const questionId = 'qst_00000001'
const ask: Line = [runner, '_posthog/agent_question', { questionId, question: '?' }]

describe('a runner with nothing under way', () => {
  it('does nothing when nothing is asked', () => {
    expect(nextStep(after(start(1)), idle)).toBeNull()
    expect(nextStep(after(start(1), message, ack(2), done(2)), idle)).toBeNull()
  })

  it('begins with the message that has waited longest', () => {
    expect(nextStep(after(start(1), message, message), idle)).toEqual({
      do: 'begin',
      messageId: 2,
      isAgain: false,
    })
    expect(nextStep(after(start(1), message, message, ack(2), done(2)), idle)).toMatchObject({ messageId: 3 })
  })

  it('lets one that redirects go before those that wait', () => {
    expect(nextStep(after(start(1), message, message, steer, steer), idle)).toMatchObject({
      do: 'begin',
      messageId: 4,
    })
  })

  it('does not begin with what was withdrawn', () => {
    const withdrawn: Line = [web, '_posthog/message_edit', { messageId: 2, content: null }]
    expect(nextStep(after(start(1), message, withdrawn), idle)).toBeNull()
  })

  it('begins with a message that a cancel came after: only turns are cancelled', () => {
    expect(nextStep(after(start(1), message, cancel), idle)).toMatchObject({ do: 'begin', messageId: 2 })
  })

  it('does not begin again with what it has begun itself', () => {
    expect(nextStep(after(start(1), message, ack(2)), idle)).toBeNull()
  })

  it('begins with nothing while the run is paused', () => {
    expect(nextStep(after(start(1), message, pause), idle)).toBeNull()
    expect(nextStep(after(start(1), message, ack(2), start(2), pause), second)).toBeNull()
    const resumed = after(start(1), message, pause, [web, '_posthog/resume', {}])
    expect(nextStep(resumed, idle)).toMatchObject({ do: 'begin' })
  })
})

describe('a runner in a turn', () => {
  it('lets a message wait', () => {
    expect(nextStep(after(start(1), message, ack(2), message), busy(2))).toBeNull()
  })

  it('ends it for a cancel that came after it was begun, once', () => {
    const orders = after(start(1), message, ack(2), cancel)
    expect(nextStep(orders, busy(2))).toEqual({ do: 'cancel', messageId: 2 })
    expect(nextStep(orders, busy(2, { isCancelled: true }))).toBeNull()
  })

  it('does not end it for a cancel that came before, or while its ack is not read back', () => {
    expect(nextStep(after(start(1), message, cancel, ack(2)), busy(2))).toBeNull()
    expect(nextStep(after(start(1), message, cancel), busy(2))).toBeNull()
  })

  it('ends it for a message that redirects, and then begins with that', () => {
    const steered = after(start(1), message, ack(2), message, steer)
    expect(nextStep(steered, busy(2))).toEqual({ do: 'cancel', messageId: 2 })
    expect(nextStep(after(start(1), message, ack(2), message, steer, done(2)), idle)).toEqual({
      do: 'begin',
      messageId: 5,
      isAgain: false,
    })
  })

  it('is not ended by the very message that redirected the one before', () => {
    expect(nextStep(after(start(1), steer, ack(2)), busy(2))).toBeNull()
  })

  it('W29 W30 takes what it found for that of a dead agent, though it had to send the last words itself', () => {
    const byNext: Line[] = [ack(2, secondRunner), [secondRunner, ask[1], ask[2]!]]
    const orders = after(start(1), message, start(2), ...byNext)
    expect(nextStep(orders, second)).toBeNull()
    orders.markInheritedAsDead()
    expect(nextStep(orders, second)).toEqual({ do: 'supersede', questionId })
    const ending = new Set([questionId])
    expect(nextStep(orders, { ...second, ending })).toEqual({ do: 'begin', messageId: 2, isAgain: true })
  })

  it('of its own generation leaves its questions and tools alone', () => {
    expect(nextStep(after(start(1), message, ack(2), tool, ask), busy(2))).toBeNull()
  })
})

describe('a runner in a turn of an agent that hears what is said into it', () => {
  const steered = after(start(1), message, ack(2), message, steer, steer)

  it('says into it what redirects it, one after the other, and each once', () => {
    expect(nextStep(steered, busy(2, { steering: 'joins' }))).toEqual({ do: 'join', messageId: 5 })
    expect(nextStep(steered, busy(2, { steering: 'joins', joined: [5] }))).toEqual({
      do: 'join',
      messageId: 6,
    })
    expect(nextStep(steered, busy(2, { steering: 'joins', joined: [5, 6] }))).toBeNull()
  })

  it('waits with it until it is known what the agent can do', () => {
    expect(nextStep(steered, busy(2, { steering: 'waits' }))).toBeNull()
  })

  it('says nothing into it while the run is paused, or once it is cancelled', () => {
    const joins = busy(2, { steering: 'joins' })
    expect(nextStep(after(start(1), message, ack(2), steer, pause), joins)).toBeNull()
    expect(nextStep(after(start(1), message, ack(2), steer, cancel), joins)).toMatchObject({ do: 'cancel' })
  })

  it('begins with what the agent has not heard before the turn was over, as with something new', () => {
    const left = [start(1), message, ack(2), steer, message, join(4, 2), done(2)]
    expect(nextStep(after(...left), idle)).toEqual({ do: 'begin', messageId: 4, isAgain: false })
    expect(nextStep(after(...left, cancel), idle)).toEqual({ do: 'end-turn', messageId: 4 })
    expect(nextStep(after(...left, pause), idle)).toBeNull()
    expect(nextStep(after(...left, done(4)), idle)).toMatchObject({ do: 'begin', messageId: 5 })
  })
})

describe('W29 what was said into a turn that its runner did not live to end', () => {
  const dead = [start(1), message, ack(2), steer, join(4, 2), start(2)]

  it('is continued with that turn', () => {
    expect(nextStep(after(...dead), second)).toEqual({ do: 'begin', messageId: 2, isAgain: true })
    expect(after(...dead).joinedInto(2)).toEqual([4])
  })

  it('is continued by itself if that turn is over, or cannot be continued again', () => {
    const over = after(start(1), message, ack(2), steer, join(4, 2), done(2), start(2))
    expect(nextStep(over, second)).toEqual({ do: 'begin', messageId: 4, isAgain: true })
    const twice = after(...dead, ack(2, secondRunner), start(3))
    const third = { ...idle, generation: 3 }
    expect(nextStep(twice, third)).toEqual({ do: 'interrupt', messageId: 2 })
    const next = nextStep(twice, { ...third, ending: new Set(['2']) })
    expect(next).toEqual({ do: 'begin', messageId: 4, isAgain: true })
  })

  it('is not continued a second time', () => {
    const twice = after(...dead, ack(2, secondRunner), join(4, 2, secondRunner), start(3))
    const third = { ...idle, generation: 3, ending: new Set(['2']) }
    expect(nextStep(twice, third)).toEqual({ do: 'interrupt', messageId: 4 })
  })

  it('goes on without it if only what came before was cancelled', () => {
    const orders = after(start(1), message, ack(2), steer, cancel, join(4, 2), start(2))
    expect(nextStep(orders, second)).toEqual({ do: 'end-turn', messageId: 2 })
    const next = nextStep(orders, { ...second, ending: new Set(['2']) })
    expect(next).toEqual({ do: 'begin', messageId: 4, isAgain: true })
  })
})

describe('W29 W30 a runner after another that died', () => {
  const dead = [start(1), message, ack(2), tool, ask, start(2)]

  it('first ends its questions, then its tools, then continues its message once', () => {
    expect(nextStep(after(...dead), second)).toEqual({ do: 'supersede', questionId })
    expect(nextStep(after(...dead), { ...second, ending: new Set([questionId]) })).toEqual({
      do: 'fail-tool',
      toolCallId: 't',
    })
    expect(nextStep(after(...dead), { ...second, ending: new Set([questionId, 't']) })).toEqual({
      do: 'begin',
      messageId: 2,
      isAgain: true,
    })
  })

  it('ends a question that was answered too: its agent is not there to hear it', () => {
    const answer: Line = [web, '_posthog/user_response', { questionId, answer: 'yes' }]
    const answered = after(start(1), message, ack(2), ask, answer, start(2))
    expect(nextStep(answered, second)).toEqual({ do: 'supersede', questionId })
  })

  it('does not continue a message a second time', () => {
    const twice = after(start(1), message, ack(2), start(2), ack(2, secondRunner), start(3))
    expect(nextStep(twice, { ...idle, generation: 3 })).toEqual({ do: 'interrupt', messageId: 2 })
    const ending = new Set(['2'])
    expect(nextStep(twice, { ...idle, generation: 3, ending })).toBeNull()
  })

  it('ends a turn that was cancelled while no runner was there', () => {
    expect(nextStep(after(start(1), message, ack(2), start(2), cancel), second)).toEqual({
      do: 'end-turn',
      messageId: 2,
    })
    expect(nextStep(after(start(1), message, ack(2), cancel, start(2)), second)).toMatchObject({
      do: 'end-turn',
    })
  })

  it('continues what was begun before it begins with what waits, even what redirects', () => {
    expect(nextStep(after(start(1), message, ack(2), steer, start(2)), second)).toMatchObject({
      messageId: 2,
      isAgain: true,
    })
  })

  it('cleans up even while the run is paused, and continues later', () => {
    expect(nextStep(after(...dead, pause), second)).toMatchObject({ do: 'supersede' })
    const twice = after(start(1), message, ack(2), start(2), ack(2, secondRunner), start(3), pause)
    expect(nextStep(twice, { ...idle, generation: 3 })).toMatchObject({ do: 'interrupt' })
  })
})

describe('closing', () => {
  it('goes before everything else', () => {
    expect(nextStep(after(start(1), message, ack(2), ask, message, steer, cancel, close), busy(2))).toEqual({
      do: 'close',
    })
    expect(nextStep(after(start(1), [hub, '_posthog/session_close', {}]), idle)).toEqual({ do: 'close' })
  })

  it('W29 is done after what a dead runner left open has an end', () => {
    const left: Line[] = [start(1), message, ack(2), tool, ask, close, start(2)]
    expect(nextStep(after(...left), second)).toEqual({ do: 'supersede', questionId })
    const ending = new Set([questionId])
    expect(nextStep(after(...left), { ...second, ending })).toEqual({ do: 'fail-tool', toolCallId: 't' })
    expect(nextStep(after(...left), { ...second, ending: ending.add('t') })).toEqual({
      do: 'end-turn',
      messageId: 2,
    })
    expect(nextStep(after(...left), { ...second, ending: ending.add('2') })).toEqual({ do: 'close' })
  })

  it('cancels the open turn, also by a runner that comes after the run was opened again', () => {
    const opened: Line = [hub, '_posthog/status', { status: 'queued' }]
    const closed: Line = [hub, '_posthog/session_close', {}]
    const again = after(start(1), message, ack(2), message, close, closed, opened, start(2))
    expect(nextStep(again, second)).toEqual({ do: 'end-turn', messageId: 2 })
    expect(nextStep(again, { ...second, ending: new Set(['2']) })).toMatchObject({
      do: 'begin',
      messageId: 4,
    })
  })

  it('that was taken back is no closing', () => {
    expect(nextStep(after(start(1), close, [hub, '_posthog/status', { status: 'queued' }]), idle)).toBeNull()
  })
})
