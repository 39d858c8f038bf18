import { z } from 'zod'

/** What every folder that is linked to the run follows from here on. Without a member, what was set before stays (S9). */
export const SyncSettings = z.looseObject({
  maxFileBytes: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
})
export type SyncSettings = z.infer<typeof SyncSettings>
