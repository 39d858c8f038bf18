import { z } from 'zod'
import { RunMode } from '../schemas/api.ts'
import { within } from '../wire/json-within.ts'

export const Pause = z.looseObject({})
export type Pause = z.infer<typeof Pause>

export const Resume = z.looseObject({})
export type Resume = z.infer<typeof Resume>

export const Close = z.looseObject({ reason: z.string().optional() })
export type Close = z.infer<typeof Close>

/** What may be answered without the user: the name of a policy, or its terms; null takes it back. */
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

/** How far a run may go before it asks; what is left out stays as it was, null takes a limit away. */
export const RunLimits = z.looseObject({
  costUsd: Most,
  turns: Most,
  wallSeconds: Most,
  /** How long a provider's rate limit may be waited for in one turn. */
  rateLimitSeconds: Most,
})
export type RunLimits = z.infer<typeof RunLimits>
