import { z } from 'zod'
import { RunMode, type RunNow } from '../schemas/api.ts'
import { AgentStatus, RunStatus } from '../wire/run-status.ts'
import { isAnswerable, OpenQuestion } from './open-question.ts'
import { LastCheckpoint, LastCommit, type RunView } from './run-view.ts'

export const PendingQuestion = OpenQuestion.omit({ generation: true, given: true })
export type PendingQuestion = z.infer<typeof PendingQuestion>

/** The answer of `GET .../sync/status` (W23). `pendingQuestion` is the one that has waited longest. */
export const SyncStatus = z.object({
  status: RunStatus,
  sandboxHealthy: z.boolean(),
  lastEventId: z.number().int().nonnegative(),
  agentStatus: AgentStatus,
  pendingQuestion: PendingQuestion.nullable(),
  pendingQuestions: z.array(PendingQuestion),
  lastCommit: LastCommit.nullable(),
  lastCheckpoint: LastCheckpoint.nullable().optional(),
  mode: RunMode,
  /** The newest generation, and whether it rests (W37): null if the hub has not asked, or the runner not answered. */
  runner: z.object({ generation: z.number().int().nonnegative(), rests: z.boolean().nullable() }).optional(),
})
export type SyncStatus = z.infer<typeof SyncStatus>

/** The questions that a user can still answer, oldest first. */
export function pendingQuestions(view: RunView): OpenQuestion[] {
  return view.openQuestions.filter((question) => isAnswerable(question, view.generation))
}

/** An open question comes before an open turn: the agent does not go on until the user answers. */
export function agentStatus(view: RunView): AgentStatus {
  if (view.status === 'closed' || view.status === 'failed') return 'idle'
  if (pendingQuestions(view).length > 0) return 'waiting'
  return view.openTurns.length > 0 ? 'thinking' : 'idle'
}

/** The status of a run; only `sandboxHealthy` does not come from its log. */
export function statusAnswer(view: RunView, lastEventId: number, sandboxHealthy: boolean): SyncStatus {
  const pending = pendingQuestions(view).map(({ generation: _, given: __, ...question }) => question)
  return {
    status: view.status,
    sandboxHealthy,
    lastEventId,
    agentStatus: agentStatus(view),
    pendingQuestion: pending[0] ?? null,
    pendingQuestions: pending,
    lastCommit: view.lastCommit,
    lastCheckpoint: view.lastCheckpoint,
    mode: view.mode,
    runner: { generation: view.generation, rests: view.rest?.rests ?? null },
  }
}

/** The state of a run in short, for lists of runs and for readers of its log: both get the same from the same view. */
export function runNowOf(view: RunView, lastEventId: number, sandboxHealthy: boolean | undefined): RunNow {
  return {
    status: view.status,
    agentStatus: agentStatus(view),
    mode: view.mode,
    questions: pendingQuestions(view).length,
    lastEventId,
    sandboxHealthy,
    turnSince: view.turnSince,
    turns: view.turns,
    stopReason: view.stopReason,
    lastActivityAt: view.lastActivityAt,
    messagesWaiting: view.unacked.reduce((sum, { length }) => sum + length, 0),
    closing: view.closing,
    plan: view.plan,
  }
}
