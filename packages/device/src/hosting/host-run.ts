import { rmSync } from 'node:fs'
import path from 'node:path'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { AgentEntry } from '@farhand/runner/catalogue/agent-entry'
import { installFiles } from '@farhand/runner/catalogue/install-files'
import { mcpServersOf } from '@farhand/runner/catalogue/mcp-servers'
import type { RunnerEnd, RunnerOptions } from '@farhand/runner/runner'
import { lockState } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { leftOutPaths } from '../first-look/user-rules.ts'
import { agentEnvironment, placesBelow } from '../installed-agents/agent-environment.ts'
import type { UsableAgent } from '../installed-agents/local-agents.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { holderAround, lockFolder } from '../linked-folders/lock-folder.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { forgetOldRuns } from '../prune-runs/forget-old-runs.ts'
import { Trouble } from '../trouble/trouble.ts'
import { runInWords } from '../wording/run-in-words.ts'

export type RunnerGrant = { token: string; generation: number }

/** Hosts the agent until the signal aborts or the run ends; `alsoChanged` tells of changed paths that nothing else reports. */
export type HostWork = (signal: AbortSignal, alsoChanged?: RunnerOptions['alsoChanged']) => Promise<RunnerEnd>

type Hosted = {
  at: RunAddress
  hub: { url: string; token: string }
  agent: UsableAgent
  workspace: string
  /** The run comes to this machine with this runner. */
  isComing: boolean
  /** False: the files of the folder are not part of the run. */
  syncs?: boolean | undefined
  /** Begins the runner at the hub. */
  grant: () => Promise<RunnerGrant>
}

type Host = {
  state: StateFolder
  env: Readonly<Record<string, string | undefined>>
  stop: AbortSignal
  /** What the user can do when the agent asks them to sign in. */
  signIn: string
  /** How the user has a background link of the folder stop. */
  pause: string
  /** The error for the user. */
  explain: (error: unknown) => unknown
  onHosting: (grant: RunnerGrant) => void
  onEnd: (end: RunnerEnd) => void
  /** Does the work, and feeds it meanwhile; it may keep notes in this folder. */
  feed?: ((work: HostWork, notes: string) => Promise<RunnerEnd>) | undefined
}

/** Hosts the agent of a run in a folder until the run is closed, or `stop` aborts. */
export async function hostRun(
  { at, hub: { url, token }, agent, workspace, isComing, syncs = true, grant: begin }: Hosted,
  { state, env, stop, signIn, pause, explain, onHosting, onEnd, feed }: Host,
): Promise<void> {
  const runs = new KnownRuns(state.root)
  // Locked before the folder, so that a second runner of the same run gets the right error.
  const runLock = lockState(runs.placeOf(at.run))
  if ('holder' in runLock)
    throw new Trouble(
      'alreadyRunning',
      `${runInWords(at.run)} already has a runner here, process ${runLock.holder}.`,
      'Use that one, or stop it first.',
    )
  try {
    const folderLock = lockFolder(state, workspace, pause)
    const over = new AbortController()
    let pruning: Promise<void> | null = null
    try {
      const around = holderAround(workspace)
      if (around)
        throw new Trouble(
          'folderTaken',
          `${workspace} lies in ${around.folder}, which process ${around.pid} keeps in sync.`,
          'Stop that one first, or give the agent another folder.',
        )
      runs.began(at.run, workspace)
      const before = runs.find(at.run)
      const known = { url, token, at, agent: agent.entry.id, workspace }
      const { sandbox = 'auto', cameFrom = sandbox } = before ?? {}
      const runnerState = runs.runnerState(at.run, workspace)
      // When a run comes back here, what folder and run agreed on before is outdated: a later start must not use it.
      if (isComing) rmSync(path.join(runnerState, 'runner', 'files'), { recursive: true, force: true })
      // Saved before the grant: if this process dies in between, the run is known to have come here.
      if (isComing) runs.save({ ...known, sandbox, cameFrom })
      const grant = await begin().catch((error: unknown) => {
        if (isComing && before) runs.save(before)
        throw explain(error)
      })
      if (isComing) runs.save({ ...known, cameFrom })
      onHosting(grant)
      pruning = forgetOldRuns(runs, state.root, AbortSignal.any([over.signal, stop]))
      const [command, ...first] = agent.program
      const agentState = path.join(runnerState, 'agent')
      installFiles(placesBelow(agentState, agent.entry))
      const work: HostWork = (signal, alsoChanged = () => []) =>
        host({
          alsoChanged,
          hub: viaLocalSocket(state.root, { url, token: grant.token }),
          at,
          generation: grant.generation,
          agent: {
            id: agent.entry.id,
            command: {
              name: agent.entry.id,
              command,
              args: [...first, ...agent.entry.args],
              env: agentEnvironment(agent.entry, env, agentState),
              cwd: workspace,
              mcpServers: mcpServersOf(agent.entry.mcpServers, env),
              signIn,
            },
            asks: { unasked: agent.entry.unasked.here, denyMode: agent.entry.denyMode },
            hidesContext: agent.entry.hidesContext,
          },
          state: path.join(runnerState, 'runner'),
          ...memoryOf(agent.entry, agentState),
          // Also if an earlier runner has died before folder and run were synced for the first time.
          ...((isComing || before?.cameFrom !== undefined) && { first: 'mine' as const }),
          syncs,
          leftOut: leftOutPaths(state, workspace),
          decisions: state.placeOf(workspace),
          signal,
        })
      const working = feed ? feed(work, path.join(runnerState, 'fed')) : work(stop)
      const end = await working.catch((error: unknown) => {
        throw explain(error)
      })
      if (end === 'closed') runs.ended(at.run, workspace, new Date())
      onEnd(end)
    } finally {
      over.abort()
      await pruning
      folderLock.release()
    }
  } finally {
    runLock.release()
  }
}

/** Only Farhand's own agents keep their memory in a folder of the run; other agents keep it in the user's home, which is never sent or replaced. */
const memoryOf = ({ command, memory: terms }: AgentEntry, folder: string) =>
  command === 'farhand' ? { memory: { folder, terms } } : {}

const leftBehindMs = 2_000

async function host(parts: Omit<RunnerOptions, 'start'>): Promise<RunnerEnd> {
  const [{ hostAgent }, { startAgent }, { endFamily }] = await Promise.all([
    import('@farhand/runner/runner'),
    import('@farhand/runner/agent/acp-agent'),
    import('@farhand/runner/processes/process-family'),
  ])
  const named = `${parts.at.run} ${parts.agent.command.cwd}`
  // Processes that an earlier agent left are ended now: the next agent begins only with a message, and they would work on until then.
  await endFamily({ group: null, mark: named }, leftBehindMs)
  return await hostAgent({
    ...parts,
    start: (command, handlers, signal) => startAgent(command, handlers, { signal, mark: named }),
  })
}
