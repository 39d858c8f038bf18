import type { RunMode } from '@farhand/protocol/api'

/** What becomes of questions in a run that is left to itself: which mode that is, and who answers (W65). */
export function leftMode(mode: RunMode, policy: unknown): string {
  if (mode === 'interactive') return 'It is in interactive mode: what it asks waits for you.'
  const by = typeof policy === 'string' ? ` under the policy ${policy}` : ''
  return by === ''
    ? 'It is in background mode: without a policy it waits for nobody, and takes the default or the choice that changes least.'
    : `It is in background mode${by}.`
}
