import { z } from 'zod'

/** Settings for every folder that is linked to the run, from here on. A member that is left out stays as it was (S9). */
export const SyncSettings = z.looseObject({
  maxFileBytes: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
})
export type SyncSettings = z.infer<typeof SyncSettings>

/** A device begins to write to the run, for the first time or again: every earlier life of it is over (W34). */
export const DeviceStart = z.looseObject({
  /** Its name, for display. */
  name: z.string().max(200).optional(),
})
export type DeviceStart = z.infer<typeof DeviceStart>
