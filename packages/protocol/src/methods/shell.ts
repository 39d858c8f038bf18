import { z } from 'zod'

const ShellId = z.string().min(1).max(100)

/** With `timeoutSeconds` the runner ends it when it takes longer. */
export const Shell = z.looseObject({
  command: z.string().min(1),
  id: ShellId,
  timeoutSeconds: z.number().positive().max(86_400).optional(),
})
export type Shell = z.infer<typeof Shell>

/** Ends the command with this id and its background processes; no effect if it is over or unknown. */
export const ShellStop = z.looseObject({ id: ShellId })
export type ShellStop = z.infer<typeof ShellStop>

/**
 * `id` is that of the command. `exitCode` is sent once, when the command is over; output after it comes from its background
 * processes.
 */
export const SandboxOutput = z.looseObject({
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  exitCode: z.number().int().nullable().optional(),
  id: z.string().optional(),
})
export type SandboxOutput = z.infer<typeof SandboxOutput>
