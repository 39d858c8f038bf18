import { AgentQuestion } from '@farhand/protocol/methods/questions'
import { type Notification, StoredEvent } from '@farhand/protocol/wire/event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { PendingQuestions } from './pending-questions.ts'

/** Questions whose log is a list; every question in it is one that a log would take. */
function asking() {
  const log: Notification[] = []
  const orders = new Orders()
  const append = (notification: Notification, kind: 'web' | 'runner') => {
    log.push(notification)
    const by = kind === 'web' ? { kind, id: 'usr_someone0' } : { kind, generation: 1 }
    const timestamp = new Date(0).toISOString()
    orders.take(StoredEvent.parse({ id: log.length, type: 'notification', timestamp, notification, by }))
  }
  const mark = async (event: Notification) => {
    if (event.method === '_posthog/agent_question') AgentQuestion.parse(event.params)
    append(event, 'runner')
  }
  const all = new PendingQuestions({ orders, mark })
  const asked = () =>
    log.filter(({ method }) => method === '_posthog/agent_question').map(({ params }) => params)
  const answer = async (said: string, isReadAtOnce = true) => {
    const { questionId } = asked().at(-1)!
    append({ jsonrpc: '2.0', method: '_posthog/user_response', params: { questionId, answer: said } }, 'web')
    if (!isReadAtOnce) return
    all.heard()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const setMode = async (params: Record<string, unknown>) => {
    append({ jsonrpc: '2.0', method: '_posthog/mode_change', params }, 'web')
    all.heard()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { all, asked, answer, setMode, log }
}

const signal = new AbortController().signal
const onlyYes = {
  fits: (answer: unknown) => (answer === 'yes' ? null : 'say yes'),
  verdict: () => null,
  signal,
}

describe('W65 a mode or a policy that is set while a question is open', () => {
  const unlessInteractive = {
    ...onlyYes,
    verdict: ({ mode }: { mode: string }) =>
      mode === 'background' ? { answer: 'no', by: 'policy:background', why: 'nobody', afterMs: 0 } : null,
  }

  it('W65 applies to it, and the log says who answered; what was decided so is not asked again', async () => {
    const { all, asked, setMode, log } = asking()
    const ended = all.ask({ question: 'Go on?', kind: 'question' }, unlessInteractive)
    await setMode({ mode: 'background' })
    expect(await ended).toMatchObject({ how: 'answered', answer: 'no' })
    expect(asked()).toHaveLength(1)
    expect(log.at(-1)).toMatchObject({
      method: '_posthog/question_closed',
      params: { how: 'answered', answer: 'no', by: 'policy:background', why: 'nobody' },
    })
  })

  it('W65 changes nothing about an answer that came before it', async () => {
    const { all, answer, setMode } = asking()
    const ended = all.ask({ question: 'Go on?', kind: 'question' }, unlessInteractive)
    await answer('yes')
    await setMode({ mode: 'background' })
    expect(await ended).toEqual({ how: 'answered', answer: 'yes' })
  })

  it('W65 changes nothing about an answer that came before it either where both are read together', async () => {
    const { all, answer, setMode, log } = asking()
    const ended = all.ask({ question: 'Go on?', kind: 'question' }, unlessInteractive)
    await answer('yes', false)
    await setMode({ mode: 'background' })
    expect(await ended).toEqual({ how: 'answered', answer: 'yes' })
    expect(log.at(-1)?.params).not.toHaveProperty('by')
  })

  describe('and brings a time', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    const late = (policy: unknown) => ({
      answer: null,
      by: 'policy:terms',
      why: `${policy}`,
      afterMs: 60_000,
    })
    const begun = () => {
      const test = asking()
      const verdict = ({ policy }: { policy: unknown }) => (policy === 'ask' ? null : late(policy))
      const ends: unknown[] = []
      void test.all
        .ask({ question: 'Go on?', kind: 'question' }, { ...onlyYes, verdict })
        .then((ended) => ends.push(ended))
      const pass = async (ms: number) => {
        await vi.advanceTimersByTimeAsync(ms)
        await new Promise((resolve) => setImmediate(resolve))
        return ends.length
      }
      return { ...test, pass }
    }

    it('W65 counts it from when the question was asked, not from when it was set', async () => {
      const { setMode, pass, log } = begun()
      await pass(40_000)
      await setMode({ mode: 'background', policy: 'deny' })
      expect(await pass(19_000)).toBe(0)
      expect(await pass(2_000)).toBe(1)
      expect(log.at(-1)).toMatchObject({ params: { how: 'expired', why: 'deny' } })
    })

    it('W30 that is over without an answer gives the agent its default, and the log says so', async () => {
      const { all, log } = asking()
      const verdict = () => ({ ...late('no answer came'), answer: 'yes' })
      const ended = all.ask({ question: 'Go on?', kind: 'question' }, { ...onlyYes, verdict })
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await ended).toEqual({ how: 'expired', answer: 'yes' })
      expect(log.at(-1)).toMatchObject({
        method: '_posthog/question_closed',
        params: { how: 'expired', by: 'policy:terms', why: 'no answer came' },
      })
    })

    it('W65 does not end the question by the time of before', async () => {
      const { setMode, answer, pass } = begun()
      await setMode({ mode: 'background', policy: 'ask' })
      expect(await pass(600_000)).toBe(0)
      await answer('yes')
      expect(await pass(0)).toBe(1)
    })
  })

  it('W65 takes back a time that the policy before had set', async () => {
    const { all, answer, setMode } = asking()
    const soon = { answer: null, by: 'policy:terms', why: 'late', afterMs: 60_000 }
    const verdict = ({ policy }: { policy: unknown }) => (policy === 'ask' ? null : soon)
    const ended = all.ask({ question: 'Go on?', kind: 'question' }, { ...onlyYes, verdict })
    await setMode({ mode: 'background', policy: 'ask' })
    await answer('yes')
    expect(await ended).toEqual({ how: 'answered', answer: 'yes' })
  })
})

describe('a question', () => {
  it('W30 whose answer does not fit is asked again, as another one, and says what was wrong', async () => {
    const { all, asked, answer } = asking()
    const ended = all.ask({ question: 'Go on?', kind: 'question' }, onlyYes)
    await answer('no')
    await answer('perhaps')
    await answer('yes')
    expect(await ended).toEqual({ how: 'answered', answer: 'yes' })
    const again = 'Go on?\n(The last answer did not fit: say yes)'
    expect(asked().map((one) => one?.question)).toEqual(['Go on?', again, again])
    expect(asked()[2]?.replaces).toBe(asked()[1]?.questionId)
  })

  it('is never longer than the log takes, with a long question and a long complaint about an answer', async () => {
    const { all, asked, answer } = asking()
    const fits = (said: unknown) => (said === 'yes' ? null : 'x'.repeat(40_000))
    const ended = all.ask({ question: 'why '.repeat(20_000), kind: 'question' }, { ...onlyYes, fits })
    await answer('no')
    expect(asked()[1]?.question).toMatch(/^why why .*…\n\(The last answer did not fit: x+…\)$/)
    await answer('yes')
    expect((await ended).how).toBe('answered')
  })
})
