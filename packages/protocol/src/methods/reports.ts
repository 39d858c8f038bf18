import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'

/** Phases are provisioning, setup, restoring and checkpointing. */
export const PhaseStart = z.looseObject({ phase: z.string().min(1) })
export type PhaseStart = z.infer<typeof PhaseStart>

export const PhaseComplete = z.looseObject({ phase: z.string().min(1) })
export type PhaseComplete = z.infer<typeof PhaseComplete>

export const Artifact = z.looseObject({
  kind: z.string().min(1),
  name: z.string().optional(),
  content: z.unknown().optional(),
  hash: BlobHash.optional(),
})
export type Artifact = z.infer<typeof Artifact>

export const Console = z.looseObject({ level: z.string().min(1), message: z.string() })
export type Console = z.infer<typeof Console>

export const ErrorReport = z.looseObject({ message: z.string(), error: z.unknown().optional() })
export type ErrorReport = z.infer<typeof ErrorReport>
