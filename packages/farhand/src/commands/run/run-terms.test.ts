import { ModeChange, RunLimits } from '@farhand/protocol/methods/control'
import { describe, expect, it } from 'vitest'
import { runTerms } from './run-terms.ts'

describe('the terms of a run', () => {
  it('are said only if there are any', () => {
    expect(runTerms({})('interactive')).toEqual([])
  })

  it('W36 hold while a user watches, too, if they are named for that', () => {
    const [watched] = runTerms({ policy: 'allow-edits' })('interactive')
    expect(ModeChange.parse(watched?.params)).toEqual({
      mode: 'interactive',
      policy: { base: 'allow-edits', interactive: true },
    })
    const [alone] = runTerms({ policy: 'allow-edits', background: true })('interactive')
    expect(ModeChange.parse(alone?.params)).toEqual({ mode: 'background', policy: 'allow-edits' })
  })

  it('leave the mode of a run as it is unless an option sets it', () => {
    const [joined] = runTerms({ policy: 'deny' })('background')
    expect(joined?.params).toMatchObject({ mode: 'background', policy: { base: 'deny' } })
    const [turned] = runTerms({ background: true })('interactive')
    expect(turned?.params).toEqual({ mode: 'background' })
  })

  it('W36 say how long an answer is waited for, with a policy or without, watched or not', () => {
    const [alone] = runTerms({ background: true, policy: 'deny', maxWait: '0.5' })('interactive')
    expect(ModeChange.parse(alone?.params)).toEqual({
      mode: 'background',
      policy: { base: 'deny', timeoutSeconds: 30 },
    })
    const [watched] = runTerms({ maxWait: '2' })('interactive')
    expect(watched?.params).toEqual({
      mode: 'interactive',
      policy: { interactive: true, timeoutSeconds: 120 },
    })
  })

  it('of a run that there is are not undone by how long an answer is waited for', () => {
    expect(() => runTerms({ run: 'run_x', maxWait: '2' })).toThrow('policy')
    const [said] = runTerms({ run: 'run_x', maxWait: '2', policy: 'deny' })('background')
    expect(said?.params).toMatchObject({ policy: { base: 'deny', timeoutSeconds: 120 } })
  })

  it.each(['0', '40000', 'long'])('have no time to wait of %j', (maxWait) => {
    expect(() => runTerms({ maxWait })).toThrow('--max-wait')
  })

  it('have limits in dollars, turns and seconds', () => {
    const [limits] = runTerms({ maxCost: '2.5', maxTurns: '3', maxMinutes: '10' })('background')
    expect(RunLimits.parse(limits?.params)).toEqual({ costUsd: 2.5, turns: 3, wallSeconds: 600 })
  })

  it.each(['lots', '-1', '', '1e3', 'Infinity'])('have no limit of %j', (maxCost) => {
    expect(() => runTerms({ maxCost })).toThrow('--max-cost')
  })
})
