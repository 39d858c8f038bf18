import { eventName } from '@farhand/protocol/events/event-names'
import { ModeChange } from '@farhand/protocol/methods/control'
import type { RunMode } from '@farhand/protocol/schemas/api'
import type { Notification } from '@farhand/protocol/wire/event'
import { z } from 'zod'

const Terms = z.looseObject({
  base: z.string().default('ask'),
  timeoutSeconds: z.number().optional(),
  interactive: z.boolean().default(false),
})

/**
 * Text for the user who leaves a run: its mode, and what happens to the agent's questions (W36, W65). `found` is the
 * mode before the events `said`, which this command has just posted. Earlier policies of an existing run are not known
 * here.
 */
export function detachedModeInWords(found: RunMode, said: readonly Notification[], isNew: boolean): string {
  const change = said.find(({ method }) => eventName(method) === 'mode_change')
  const { mode = found, policy } = ModeChange.safeParse(change?.params).data ?? {}
  const named = typeof policy === 'string' ? { base: policy } : policy
  const terms = Terms.safeParse(named).data
  const begin = `It is in ${mode} mode`
  if (terms && (mode === 'background' || terms.interactive)) return `${begin} ${underTerms(terms)}.`
  if (mode === 'interactive')
    return `${begin}: what it asks waits for you${isNew ? '' : ', unless a policy of its own decides it'}.`
  return `${begin}: ${isNew ? 'without a policy' : 'its policy decides; without one'} it does not wait for an answer, and takes the default or the choice that changes least.`
}

function underTerms({ base, timeoutSeconds }: z.infer<typeof Terms>): string {
  const policy = `under the policy ${base}`
  if (timeoutSeconds === undefined) return policy
  const minutes = timeoutSeconds / 60
  const wait = `what it asks waits ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} for you`
  return `${policy}: ${wait}${base === 'ask' ? '' : ', unless that decides it'}`
}
