import type { Hub } from '@farhand/client/requests/hub'
import { findRun, runStatus } from '@farhand/client/resources/resources'
import type { SyncStatus } from '@farhand/protocol/runs/sync-status'
import type { Run } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { patienceMs } from '../errors/hub-trouble.ts'
import type { KnownRun, LocalRuns } from '../local-runs/local-runs.ts'
import type { Standing } from './decide-handoff.ts'

/** A run that is handed over, and where this machine keeps what it knows of it. */
export type HandoffRun = {
  hub: Hub & { token: string }
  at: RunAddress
  known: KnownRun | null
  agent: string
  /** Whether that is one of ours: what they remember goes along. */
  isOurs: boolean
  /** Where its files are on this machine, or are to be; empty if nothing of it is here. */
  workspace: string
  /** In which kind of sandbox it works, or is to work. */
  kind: string
  runs: LocalRuns
  state: StateFolder
}

export type SeenRun = { standing: Standing; generation: number; now: SyncStatus; run: Run }

/** How a run stands now. */
export async function lookAt(
  { hub, at, runs }: Pick<HandoffRun, 'hub' | 'at' | 'runs'>,
  signal: AbortSignal,
): Promise<SeenRun> {
  const options = { signal, patienceMs }
  // The place first: a move that comes between is seen by the generation, which is asked for later.
  const run = await findRun(hub, at.run, options)
  const now = await runStatus(hub, at, options)
  const { generation = 0, rests = null } = now.runner ?? {}
  const standing: Standing = {
    status: now.status,
    agentStatus: now.agentStatus,
    isOnDevice: run.sandbox === 'none',
    isHeard: now.sandboxHealthy,
    rests,
    isHostedHere: runs.holder(at.run) !== null,
  }
  return { standing, generation, now, run }
}
