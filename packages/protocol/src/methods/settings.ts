import { z } from 'zod'

/** What every folder that is linked to the run follows from here on. Without a member, what was set before stays (S9). */
export const SyncSettings = z.looseObject({
  maxFileBytes: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
})
export type SyncSettings = z.infer<typeof SyncSettings>

/** A device begins to write to the run, or begins anew: every earlier life of it is over (W34). */
export const DeviceStart = z.looseObject({
  /** What people call it. */
  name: z.string().max(200).optional(),
})
export type DeviceStart = z.infer<typeof DeviceStart>
