import { z } from 'zod'

export const RunStatus = z.enum(['queued', 'provisioning', 'active', 'asleep', 'paused', 'closed', 'failed'])
export type RunStatus = z.infer<typeof RunStatus>

export const AgentStatus = z.enum(['thinking', 'waiting', 'idle'])
export type AgentStatus = z.infer<typeof AgentStatus>
