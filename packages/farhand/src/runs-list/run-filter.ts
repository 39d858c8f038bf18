import type { ListedRun } from '@farhand/protocol/schemas/api'
import { AgentStatus, RunStatus } from '@farhand/protocol/wire/run-status'

/** Which runs of a list are wanted. */
export type RunFilter = {
  /** As `ls` shows it: how the run stands, what its agent does, or `open` for all that are not closed. */
  readonly status?: string
  /** The name of the project, or its id. */
  readonly project?: string
  readonly agent?: string
}

/** Everything that `--status` takes. */
export const statuses: readonly string[] = ['open', ...RunStatus.options, ...AgentStatus.options]

/** What the hub can look for by itself; the rest is looked for here. */
export const askedOfHub = ({ status }: RunFilter): { status?: RunStatus; waiting?: true } => {
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
  // One that asks something may sleep meanwhile.
  if (status === 'waiting') return now.agentStatus === status && now.status !== 'closed'
  if (RunStatus.safeParse(status).success && now.status === status) return true
  return now.status === 'active' && now.agentStatus === status
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
