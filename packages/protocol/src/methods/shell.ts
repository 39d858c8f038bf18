import { z } from 'zod'

const ShellId = z.string().min(1).max(100)

/** With `timeoutSeconds` it is ended when it takes longer. */
export const Shell = z.looseObject({
  command: z.string().min(1),
  id: ShellId,
  timeoutSeconds: z.number().positive().max(86_400).optional(),
})
export type Shell = z.infer<typeof Shell>

/** Ends the command of this id, and what it left in the background; one that is over, or unknown, is left alone. */
export const ShellStop = z.looseObject({ id: ShellId })
export type ShellStop = z.infer<typeof ShellStop>

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
