import { describe, expect, it } from 'vitest'
import { type BranchComparison, planPush } from './plan-push.ts'

const comparison = (given: Partial<BranchComparison>): BranchComparison => ({
  there: 'there',
  isOurs: true,
  tip: 'tip',
  tree: 'now',
  tipTree: 'tip tree',
  thereTree: 'there tree',
  thereHasTip: false,
  tipHasThere: false,
  force: false,
  ...given,
})

describe('what is pushed', () => {
  it('is the agent’s newest commit, with another one on top if there is more than it has committed', () => {
    expect(planPush(comparison({ there: null }))).toEqual({ is: 'push', commit: ['tip'], lease: null })
    const all = { there: null, tree: 'tip tree' }
    expect(planPush(comparison(all))).toEqual({ is: 'push', commit: null, lease: null })
    expect(planPush(comparison({ tipHasThere: true }))).toMatchObject({ commit: ['tip'], lease: null })
  })

  it('goes on from what was pushed before, so that the branch only grows', () => {
    expect(planPush(comparison({ thereHasTip: true }))).toEqual({
      is: 'push',
      commit: ['there'],
      lease: null,
    })
    expect(planPush(comparison({}))).toEqual({ is: 'push', commit: ['there', 'tip'], lease: null })
    expect(planPush(comparison({ thereHasTip: true, thereTree: 'now' }))).toEqual({ is: 'same' })
  })

  it('replaces only what this run has pushed, and only if that is asked for', () => {
    expect(planPush(comparison({ isOurs: false, force: true }))).toEqual({ is: 'foreign' })
    expect(planPush(comparison({ force: true }))).toEqual({ is: 'push', commit: ['tip'], lease: 'there' })
  })
})
