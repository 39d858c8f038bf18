import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { Budget } from './budget.ts'
import { costNotice } from './cost-notice.ts'

function after(...lines: Line[]): Budget {
  const budget = new Budget()
  for (const event of sampleLog(...lines)) budget.take(event)
  return budget
}
const limit = (costUsd: number | null): Line => [web, '_posthog/run_limits', { costUsd }]
const cost = (currency: string): Line => [
  runner,
  'session/update',
  { update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency } } },
]
const ended = { stopReason: 'end_turn' }

describe('a limit on cost', () => {
  it('that has no effect, as the agent reports no cost, is reported', () => {
    const notice = costNotice(after(limit(5)), ended)
    expect(notice).toMatchObject({ method: '_posthog/console', params: { level: 'warn' } })
    expect(notice?.params?.message).toContain('the limit of $5.00 has no effect')
    expect(costNotice(after(limit(5), cost('EUR')), ended)).not.toBeNull()
  })

  it('is reported once, also by the runner after this one, and again when it is set again', () => {
    const budget = after(limit(5))
    const notice = costNotice(budget, ended)!
    budget.takeOwn(notice)
    expect(costNotice(budget, ended)).toBeNull()
    const said: Line = [runner, notice.method, notice.params!]
    expect(costNotice(after(limit(5), said), ended)).toBeNull()
    expect(costNotice(after(limit(5), said, [web, '_posthog/run_limits', { turns: 3 }]), ended)).toBeNull()
    expect(costNotice(after(limit(5), said, limit(9)), ended)).not.toBeNull()
  })

  it('that works is not reported, nor is one that is not set', () => {
    expect(costNotice(after(limit(5), cost('USD')), ended)).toBeNull()
    const usage = { cost: { amount: 1, currency: 'usd' } }
    expect(costNotice(after(limit(5)), { ...ended, usage })).toBeNull()
    expect(costNotice(after(), ended)).toBeNull()
    expect(costNotice(after(limit(5), limit(null)), ended)).toBeNull()
  })

  it.each(['failed', 'cancelled', 'interrupted', 'limit'])(
    'is not judged by a turn that ended as %s',
    (how) => {
      expect(costNotice(after(limit(5)), { stopReason: how })).toBeNull()
    },
  )
})
