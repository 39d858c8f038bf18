import { describe, expect, it } from 'vitest'
import { type Line, runner, sampleLog, web } from '../events/sample-log.ts'
import { type MethodName, maySend, methods } from '../methods/methods.ts'
import type { Notification } from '../wire/event.ts'
import { limits } from '../wire/limits.ts'
import { capacityFault } from './capacity-fault.ts'
import { foldRunView } from './fold-run-view.ts'
import { emptyRunView } from './run-view.ts'

const says = (method: string, params: Record<string, unknown> = {}): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})
const message = says('_posthog/user_message', { content: 'hi' })
const withdraw = (messageId: number) => says('_posthog/message_edit', { messageId, content: null })
const id = (n: number) => `qst_${String(n).padStart(8, '0')}`
const ask = (n: number) => says('_posthog/agent_question', { questionId: id(n), question: '?' })
const close = (n: number) => says('_posthog/question_closed', { questionId: id(n), how: 'cancelled' })
const times = (count: number, make: (n: number) => Notification) =>
  Array.from({ length: count }, (_, n) => make(n + 1))

const after = (...notifications: Notification[]) =>
  sampleLog(
    ...notifications.map(({ method, params }): Line => {
      const by = maySend('web', methods[method as MethodName].by) ? web : runner
      return [by, method, params ?? {}]
    }),
  ).reduce(foldRunView, emptyRunView)

describe('W10 a run has room', () => {
  it('for a limited number of messages whose turn is not over, acked or not', () => {
    const nearly = times(limits.openMessages - 1, () => message)
    const view = after(...nearly)
    expect(capacityFault(view, [message])).toBeNull()
    expect(capacityFault(view, [message, message])).toMatchObject({
      code: 'run.overfull',
      status: 429,
      remedy: 'retry',
    })
    const acked = after(...nearly, says('_posthog/ack', { for: 'user_message', id: 1 }))
    expect(acked.openTurns).toHaveLength(1)
    expect(capacityFault(acked, [message, message])?.code).toBe('run.overfull')
    expect(
      capacityFault(
        emptyRunView,
        times(limits.openMessages, () => message),
      ),
    ).toBeNull()
  })

  it('for another message when one is taken back before it, and for one only', () => {
    const full = after(...times(limits.openMessages, () => message))
    expect(capacityFault(full, [withdraw(1), message])).toBeNull()
    expect(capacityFault(full, [withdraw(1), withdraw(1), message, message])?.code).toBe('run.overfull')
    expect(capacityFault(full, [withdraw(5000), message])?.code).toBe('run.overfull')
  })

  it('for a limited number of open questions, and for more once some are closed', () => {
    const full = after(...times(limits.openQuestions, ask))
    expect(capacityFault(full, [ask(limits.openQuestions + 1)])).toMatchObject({
      code: 'run.questions-open',
      status: 409,
      remedy: 'fix-request',
    })
    expect(capacityFault(full, [ask(1)])).toBeNull()
    expect(capacityFault(full, [close(1), ask(1000)])).toBeNull()
    expect(capacityFault(full, [ask(1000), close(1)])?.code).toBe('run.questions-open')
  })

  it('for everything else, no matter how full it is', () => {
    const full = after(...times(limits.openMessages, () => message), ...times(limits.openQuestions, ask))
    const others = [
      '_posthog/ack',
      '_posthog/cancel',
      '_posthog/user_response',
      'agent_message_chunk',
      '_mine',
    ]
    expect(
      capacityFault(
        full,
        others.map((method) => says(method)),
      ),
    ).toBeNull()
  })
})
