import { z } from 'zod'
import { RunMode } from './api.ts'
import type { StoredEvent } from './event.ts'

export const RunStatus = z.enum(['queued', 'provisioning', 'active', 'asleep', 'paused', 'closed', 'failed'])
export type RunStatus = z.infer<typeof RunStatus>

export const AgentStatus = z.enum(['thinking', 'waiting', 'idle'])
export type AgentStatus = z.infer<typeof AgentStatus>

/** Where a run stands, as a fold of its log. Plain JSON: the hub keeps it beside the log as a shortcut. */
export const RunView = z.object({
  status: RunStatus,
  /** Someone asked to close it; `session_close` has not come yet. */
  closing: z.boolean(),
  mode: RunMode,
  generation: z.number().int(),
})
export type RunView = z.infer<typeof RunView>

export const emptyRunView: RunView = { status: 'queued', closing: false, mode: 'interactive', generation: 0 }

export function runView(view: RunView, _event: StoredEvent): RunView {
  return view
}
