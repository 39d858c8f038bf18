import type { ListedRun } from '@farhand/protocol/schemas/api'
import { AgentStatus, RunStatus } from '@farhand/protocol/wire/run-status'

/** The filters of `farhand ls`. */
export type RunFilter = {
  /** A run status, an agent status, or `open` for all runs that are not closed. */
  readonly status?: string
  /** The name of the project, or its id. */
  readonly project?: string
  readonly agent?: string
}

/** Everything that `--status` takes. */
export const statuses: readonly string[] = ['open', ...RunStatus.options, ...AgentStatus.options]

/** The part of the filter that the hub can apply; the rest is applied here. */
export const hubFilter = ({ status }: RunFilter): { status?: RunStatus; waiting?: true } => {
  if (status === 'waiting') return { waiting: true }
  const known = RunStatus.safeParse(status).data
  return known ? { status: known } : {}
}

/** Whether a run is wanted. */
export function isWanted(run: ListedRun, { status, project, agent }: RunFilter): boolean {
  const isOfProject = project === undefined || run.project === project || same(run.projectName, project)
  const isOfAgent = agent === undefined || same(run.agent ?? '', agent)
  return isOfProject && isOfAgent && (status === undefined || stands(run, status))
}

function stands({ now }: ListedRun, status: string): boolean {
  if (!now) return false
  if (status === 'open') return now.status !== 'closed'
  // A run with an open question may be asleep.
  if (status === 'waiting') return now.agentStatus === status && now.status !== 'closed'
  if (RunStatus.safeParse(status).success && now.status === status) return true
  return now.status === 'active' && now.agentStatus === status
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
