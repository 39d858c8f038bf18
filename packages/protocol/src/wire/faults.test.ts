import { describe, expect, it } from 'vitest'
import { Fault, FaultAnswer, faultAnswer, faults } from './faults.ts'

describe('faults', () => {
  it('W3 are sent as code, message, remedy and facts, and without their cause', () => {
    const cause = new Error('secret')
    const fault = new Fault('producer.gap', 'seq 5 comes next', { expected: 5, cause })
    expect(fault).toMatchObject({ status: 409, remedy: 'fix-request', cause })
    const answer = faultAnswer(fault)
    expect(answer).toEqual({
      error: { code: 'producer.gap', message: 'seq 5 comes next', remedy: 'fix-request', expected: 5 },
    })
    expect(FaultAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
  })

  it('W3 are all answers that are not a success', () => {
    for (const [code, { status }] of Object.entries(faults)) {
      expect(status, code).toBeGreaterThanOrEqual(400)
      expect(code).toMatch(/^[a-z]+\.[a-z-]+$/)
    }
  })

  it('W3 a code that a newer hub made up is still readable', () => {
    const answer = { error: { code: 'of.tomorrow', message: 'x', remedy: 'upgrade', more: 1 } }
    expect(FaultAnswer.parse(answer).error.code).toBe('of.tomorrow')
  })
})
