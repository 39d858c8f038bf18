import { z } from 'zod'

export const Shell = z.looseObject({ command: z.string().min(1), id: z.string().min(1).max(100) })
export type Shell = z.infer<typeof Shell>

/**
 * `id` is that of the command it came from. `exitCode` comes once, when that is over; after it there is only what it
 * left running in the background.
 */
export const SandboxOutput = z.looseObject({
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  exitCode: z.number().int().nullable().optional(),
  id: z.string().optional(),
})
export type SandboxOutput = z.infer<typeof SandboxOutput>
