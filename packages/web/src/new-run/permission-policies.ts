import type { Policy } from '@farhand/protocol/methods/control'
import type { RunMode } from '@farhand/protocol/schemas/api'

export const policies = ['ask', 'allow-edits', 'allow-all', 'deny'] as const
export type PolicyName = (typeof policies)[number]

type Option<Value extends string> = { value: Value; label: string; note: string }

export const modeOptions: readonly Option<RunMode>[] = [
  { value: 'interactive', label: 'Interactive', note: 'It asks you when it needs an answer.' },
  {
    value: 'background',
    label: 'In the background',
    note: 'It works without you, as far as its permissions allow.',
  },
]

export const policyOptions: readonly Option<PolicyName>[] = [
  { value: 'ask', label: 'Ask me', note: 'It waits for your answer, on any device.' },
  {
    value: 'allow-edits',
    label: 'Allow file edits',
    note: 'In its workspace. It asks about everything else.',
  },
  { value: 'allow-all', label: 'Allow everything', note: 'Only its sandbox limits it.' },
  { value: 'deny', label: 'Refuse', note: 'It does only what needs no permission.' },
]

/**
 * The hub applies a bare policy name only in background mode; `interactive: true` makes it hold in interactive
 * mode, too (W36).
 */
export function policyFor(mode: RunMode, policy: PolicyName): Policy {
  // Without a policy, a background run does not wait for an answer (W65).
  if (policy === 'ask') return mode === 'background' ? policy : null
  return mode === 'background' ? policy : { base: policy, interactive: true }
}

/** The name of a run's policy in its mode; null for a custom policy. */
export function policyName(mode: RunMode, policy: unknown): PolicyName | null {
  if (policy === null || policy === undefined) return mode === 'background' ? null : 'ask'
  // In interactive mode a bare name has no effect.
  if (typeof policy === 'string') return mode === 'interactive' ? 'ask' : named(policy)
  if (typeof policy !== 'object') return null
  const { base, interactive, ...more } = policy as Record<string, unknown>
  if (Object.keys(more).length > 0 || typeof base !== 'string') return null
  return mode === 'interactive' && interactive !== true ? 'ask' : named(base)
}

const named = (name: string): PolicyName | null => policies.find((one) => one === name) ?? null
