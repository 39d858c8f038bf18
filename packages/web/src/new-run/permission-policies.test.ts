import { describe, expect, it } from 'vitest'
import { policies, policyFor, policyName } from './permission-policies.ts'

describe('a policy', () => {
  it('that was chosen here is found again under its name, in both modes', () => {
    for (const mode of ['interactive', 'background'] as const)
      for (const policy of policies) expect(policyName(mode, policyFor(mode, policy))).toBe(policy)
  })

  it('by its bare name lets nothing pass in interactive mode', () => {
    expect(policyName('interactive', 'allow-all')).toBe('ask')
    expect(policyName('background', 'allow-all')).toBe('allow-all')
  })

  it('with terms of its own has no name of ours', () => {
    expect(policyName('background', { base: 'ask', timeoutSeconds: 60 })).toBeNull()
    expect(policyName('background', 'made-up')).toBeNull()
  })
})
