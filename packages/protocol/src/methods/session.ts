import { z } from 'zod'
import { RunStatus } from '../wire/run-status.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/** Opens a closed run again. The hub answers it and never stores it (W12). */
export const SessionInit = z.looseObject({})
export type SessionInit = z.infer<typeof SessionInit>

/** A new generation of the runner begins: from here on every older one is fenced (W8). */
export const SessionStart = z.looseObject({
  generation: z.number().int().positive(),
  sandboxId: z.string().nullable().optional(),
  previousSeq: z.number().int().nonnegative().nullable().optional(),
  /** `none`: with this runner the run works on a device (W46). */
  sandbox: z.string().min(1).optional(),
})
export type SessionStart = z.infer<typeof SessionStart>

/** The status that an agent server of seed 001 reports; `idle` ends the open turn (W63). */
export const AgentStatusTold = z.looseObject({ status: z.string().min(1).max(100) })
export type AgentStatusTold = z.infer<typeof AgentStatusTold>

export const StatusChange = z.looseObject({ status: RunStatus, reason: z.string().optional() })
export type StatusChange = z.infer<typeof StatusChange>

export const SessionClose = z.looseObject({ reason: z.string().optional() })
export type SessionClose = z.infer<typeof SessionClose>

export const SessionCheckpoint = z.looseObject({ checkpointId: z.string().min(1) })
export type SessionCheckpoint = z.infer<typeof SessionCheckpoint>

/** `missing` are the files whose blobs had expired (W25). */
export const SessionRestored = z.looseObject({
  fromCheckpoint: z.string().nullable(),
  files: z.number().int().nonnegative().optional(),
  missing: z.array(WorkspacePath).optional(),
  ms: z.number().nonnegative().optional(),
})
export type SessionRestored = z.infer<typeof SessionRestored>
