import { Fault } from '@farhand/protocol/wire/faults'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/**
 * Refuses what the user of a run may not have here (W50), before anything is stored. The keeper asks the same once more right
 * before it starts a sandbox: what is allowed may change between the two.
 */
export async function refuseForbiddenTerms(
  parts: HubParts,
  asked: Parameters<HubParts['refusal']>[0],
): Promise<void> {
  const refusal = await parts.refusal(asked)
  if (refusal) throw new Fault('terms.refused', refusal.why, { field: refusal.field })
}

/** Refuses a repository that is not there: whoever asks can mend the address at once, and need not read a log to know it. */
export async function refuseWrongClone(
  parts: HubParts,
  asked: Parameters<HubParts['wrongClone']>[0],
): Promise<void> {
  const wrong = await parts.wrongClone(asked)
  if (wrong) throw new Fault('terms.refused', wrong.why, { field: `terms.clone.${wrong.of}` })
}
