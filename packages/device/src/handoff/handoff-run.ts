import type { Hub } from '@farhand/client/requests/hub'
import { findRun, runStatus } from '@farhand/client/resources/resources'
import type { SyncStatus } from '@farhand/protocol/runs/sync-status'
import type { Run } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { KnownRun, KnownRuns } from '../known-runs/known-runs.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import type { HandoffState } from './decide-handoff.ts'

/** A run that is handed over, with this machine's records of it. */
export type HandoffRun = {
  hub: Hub & { token: string }
  at: RunAddress
  known: KnownRun | null
  agent: string
  /** Whether it is one of our own agents, whose memory moves along. */
  isOurs: boolean
  /** The folder of its files on this machine; empty if it has none here. */
  workspace: string
  /** The kind of its sandbox, now or after the handoff. */
  kind: string
  runs: KnownRuns
  state: StateFolder
}

export type RunState = { standing: HandoffState; generation: number; now: SyncStatus; run: Run }

export async function readRunState(
  { hub, at, runs }: Pick<HandoffRun, 'hub' | 'at' | 'runs'>,
  signal: AbortSignal,
): Promise<RunState> {
  const options = { signal, patienceMs }
  // The placement is read first: a move in between shows in the generation, which is read later.
  const run = await findRun(hub, at.run, options)
  const now = await runStatus(hub, at, options)
  const { generation = 0, rests = null } = now.runner ?? {}
  const standing: HandoffState = {
    status: now.status,
    agentStatus: now.agentStatus,
    isOnDevice: run.sandbox === 'none',
    isHeard: now.sandboxHealthy,
    rests,
    isHostedHere: runs.holder(at.run) !== null,
  }
  return { standing, generation, now, run }
}
