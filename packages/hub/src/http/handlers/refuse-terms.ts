import { Fault } from '@farhand/protocol/wire/faults'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/**
 * Refuses terms that the user of a run may not have (W50), before anything is stored. The keeper checks again right before it starts
 * a sandbox, as the rules may change between the two.
 */
export async function refuseForbiddenTerms(
  parts: HubParts,
  asked: Parameters<HubParts['refusal']>[0],
): Promise<void> {
  const refusal = await parts.refusal(asked)
  if (refusal) throw new Fault('terms.refused', refusal.why, { field: refusal.field })
}

/** Refuses a repository that does not exist, so that the caller can correct the address at once. */
export async function refuseWrongClone(
  parts: HubParts,
  asked: Parameters<HubParts['wrongClone']>[0],
): Promise<void> {
  const wrong = await parts.wrongClone(asked)
  if (wrong) throw new Fault('terms.refused', wrong.why, { field: `terms.clone.${wrong.of}` })
}
