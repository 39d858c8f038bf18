import { z } from 'zod'
import { RunMode } from '../schemas/api.ts'
import { within } from '../wire/json-within.ts'

export const Pause = z.looseObject({})
export type Pause = z.infer<typeof Pause>

export const Resume = z.looseObject({})
export type Resume = z.infer<typeof Resume>

export const Close = z.looseObject({ reason: z.string().optional() })
export type Close = z.infer<typeof Close>

/** Which questions are answered without the user: the name of a policy, or its rules; null removes the policy. */
export const Policy = within(z.union([z.string().min(1), z.looseObject({})]), 65_536).nullable()
export type Policy = z.infer<typeof Policy>

/** Without `policy` the one that was set before stays. */
export const ModeChange = z.looseObject({ mode: RunMode, policy: Policy.optional() })
export type ModeChange = z.infer<typeof ModeChange>

/** A mode of the agent's own, as ACP names it; not to be confused with the run's mode. */
export const SetMode = z.looseObject({ modeId: z.string().min(1) })
export type SetMode = z.infer<typeof SetMode>

export const SetConfigOption = z.looseObject({ configId: z.string().min(1), value: z.unknown() })
export type SetConfigOption = z.infer<typeof SetConfigOption>

const Most = z.number().nonnegative().nullable().optional()

/** How far a run may go before it asks its user; a limit that is left out stays as it was, null removes it. */
export const RunLimits = z.looseObject({
  costUsd: Most,
  turns: Most,
  wallSeconds: Most,
  /** How long a turn may wait for a provider's rate limit. */
  rateLimitSeconds: Most,
})
export type RunLimits = z.infer<typeof RunLimits>
