import { rmSync } from 'node:fs'
import path from 'node:path'
import { beginRunner } from '@farhand/client/resources/resources'
import { findNamedRun, runNamed } from '@farhand/device/find-run/run-named'
import { leftOutPaths } from '@farhand/device/first-look/user-rules'
import { agentEnvironment, placesBelow } from '@farhand/device/installed-agents/agent-environment'
import { usableAgent } from '@farhand/device/installed-agents/local-agents'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { LocalRuns } from '@farhand/device/local-runs/local-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { AgentEntry } from '@farhand/runner/catalogue/agent-entry'
import { installFiles } from '@farhand/runner/catalogue/install-files'
import { mcpServersOf } from '@farhand/runner/catalogue/mcp-servers'
import type { RunnerOptions } from '@farhand/runner/runner'
import { lockState } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { signInWords } from '../../agents/sign-in-advice.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubTrouble } from '../../errors/hub-trouble.ts'
import { withJsonErrors } from '../../errors/with-json-errors.ts'
import { hubAccess } from '../../find-run/hub-access.ts'
import { folderToLink } from '../../linked-folders/folder-to-link.ts'
import { pauseAdvice } from '../../linked-folders/link-troubles.ts'
import { agentOfRun, fedFiles, fedFrom, type ServerFlags } from './server-mode.ts'

export type RunnerFlags = ServerFlags & Readonly<Partial<Record<'workspace' | 'state' | 'after', unknown>>>

/** `farhand runner`: hosts the agent of a run in a folder until the run is closed, or the process is stopped. */
export const runnerCommand = (given: RunnerFlags, context: CommandContext) =>
  withJsonErrors(given, context, async () => {
    const flags = { ...given, run: given.run ?? given.sessionId }
    const files = fedFiles(flags, context)
    if (flags.run === undefined || (flags.agent === undefined && !files))
      throw new Trouble('usage', 'Which run, and which agent?', 'Name them: --run <run> --agent <id>.')
    const place = stateFolderPath(flags.state, context)
    const agentId = flags.agent ?? (await agentOfRun(flags, new StateFolder(place), context))
    const agent = usableAgent(String(agentId), place, context)
    const workspace = await folderToLink(String(flags.workspace ?? '.'), place, context)
    const state = new StateFolder(place)
    const runs = new LocalRuns(place)
    const { lockFolder, holderAround } = await import('@farhand/device/linked-folders/lock-folder')
    const access = await accessOf(flags, state, context)
    const { at } = access
    const { url } = access.hub
    // Locked before the folder, so that a second runner of the same run gets the right error.
    const runLock = lockState(runs.placeOf(at.run))
    if ('holder' in runLock)
      throw new Trouble(
        'alreadyRunning',
        `${runInWords(at.run)} already has a runner here, process ${runLock.holder}.`,
        'Use that one, or stop it first.',
      )
    try {
      const folderLock = lockFolder(state, workspace, pauseAdvice(workspace, context))
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
        const isComing = flags.after !== undefined
        const before = runs.find(at.run)
        const { token } = access.hub
        const known = { url, token, at, agent: agent.entry.id, workspace }
        const { sandbox = 'auto', cameFrom = sandbox } = before ?? {}
        const runnerState = runs.runnerState(at.run, workspace)
        // When a run comes back here, what folder and run agreed on before is outdated: a later start must not use it.
        if (isComing) rmSync(path.join(runnerState, 'runner', 'files'), { recursive: true, force: true })
        // Saved before the grant: if this process dies in between, the run is known to have come here.
        if (isComing) runs.save({ ...known, sandbox, cameFrom })
        const grant = await access.grant().catch((error: unknown) => {
          if (isComing && before) runs.save(before)
          throw hubTrouble(error, url, context) ?? error
        })
        if (isComing) runs.save({ ...known, cameFrom })
        tell(flags, context, { event: 'hosting', ...at, agent: agent.entry.id, workspace, ...shown(grant) })
        pruning = prune(runs, place, AbortSignal.any([over.signal, context.stop]))
        const [command, ...first] = agent.program
        const agentState = path.join(runnerState, 'agent')
        installFiles(placesBelow(agentState, agent.entry))
        const work = (signal: AbortSignal, alsoChanged: RunnerOptions['alsoChanged'] = () => []) =>
          host({
            alsoChanged,
            hub: viaLocalSocket(place, { url, token: grant.token }),
            at,
            generation: grant.generation,
            agent: {
              id: agent.entry.id,
              command: {
                name: agent.entry.id,
                command,
                args: [...first, ...agent.entry.args],
                env: agentEnvironment(agent.entry, context.env, agentState),
                cwd: workspace,
                mcpServers: mcpServersOf(agent.entry.mcpServers, context.env),
                signIn: signInWords(agent.entry, at.run, context.called.farhand),
              },
              asks: { unasked: agent.entry.unasked.here, denyMode: agent.entry.denyMode },
              hidesContext: agent.entry.hidesContext,
            },
            state: path.join(runnerState, 'runner'),
            ...memoryOf(agent.entry, agentState),
            // Also if an earlier runner has died before folder and run were synced for the first time.
            ...((isComing || before?.cameFrom !== undefined) && { first: 'mine' as const }),
            leftOut: leftOutPaths(state, workspace),
            decisions: state.placeOf(workspace),
            signal,
          })
        const notes = path.join(runnerState, 'fed')
        const working = files
          ? fedFrom(files, at, notes, { flags, state, context }, work)
          : work(context.stop)
        const end = await working.catch((error: unknown) => {
          throw hubTrouble(error, url, context) ?? error
        })
        if (end === 'fenced') throw fenced(at, context)
        if (end === 'closed') runs.ended(at.run, workspace, new Date())
        tell(flags, context, { event: 'ended', why: end, run: at.run })
      } finally {
        over.abort()
        await pruning
        folderLock.release()
      }
    } finally {
      runLock.release()
    }
  })

/** Only Farhand's own agents keep their memory in a folder of the run; other agents keep it in the user's home, which is never sent or replaced. */
const memoryOf = ({ command, memory: terms }: AgentEntry, folder: string) =>
  command === 'farhand' ? { memory: { folder, terms } } : {}

const leftBehindMs = 2_000

async function host(parts: Omit<RunnerOptions, 'start'>) {
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

/** Forgets old runs. Errors are ignored: the next start tries again. */
async function prune(runs: LocalRuns, place: string, signal: AbortSignal): Promise<void> {
  const { askHubs, pruneRuns } = await import('@farhand/device/prune-runs/prune-runs')
  await pruneRuns(runs, askHubs(place, signal), new Date()).catch(() => {})
}

type Grant = { token: string; generation: number }

/** Access with the user's token, which can begin a runner, or with the token of a runner that another program began. */
async function accessOf(
  flags: RunnerFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<{ hub: { url: string; token: string }; at: RunAddress; grant: () => Promise<Grant> }> {
  const named = runNamed(String(flags.run))
  const { FARHAND_RUNNER_TOKEN: token, FARHAND_RUNNER_GENERATION: said } = context.env
  if (token) {
    const generation = Number(said)
    if (!Number.isSafeInteger(generation) || generation < 1)
      throw new Trouble(
        'usage',
        'FARHAND_RUNNER_TOKEN is set, and FARHAND_RUNNER_GENERATION is not a number from 1 up.',
        'Set both to the values that the hub returned when the runner was begun.',
      )
    if (named.is !== 'address')
      throw new Trouble(
        'usage',
        `A runner's token cannot find a run by its id.`,
        'Give --run prj_.../tsk_.../run_...',
      )
    const { url } = await hubAccess({ ...flags, token }, state, context)
    return { hub: { url, token }, at: named.at, grant: async () => ({ token, generation }) }
  }
  if (named.is === 'new')
    throw new Trouble('usage', 'A runner needs an existing run.', `Begin one: ${context.called.farhand} run`)
  const hub = await hubAccess(flags, state, context)
  const { url } = hub
  const at = await findNamedRun(hub, named, '', context.stop).catch((error: unknown) => {
    throw hubTrouble(error, url, context) ?? error
  })
  const asked = flags.after === undefined ? {} : { after: Number(flags.after) }
  return { hub, at, grant: () => beginRunner(hub, at, asked, { signal: context.stop }) }
}

const shown = ({ generation }: Grant) => ({ generation })

const fenced = ({ run }: RunAddress, { called }: CommandContext) =>
  new Trouble(
    'fenced',
    `Another runner has taken over ${runInWords(run)}.`,
    `There can be one. \`${called.farhand} run --run ${runInWords(run)}\` shows what it does.`,
  )

function tell(
  flags: RunnerFlags,
  context: CommandContext,
  said: { event: string } & Record<string, unknown>,
): void {
  const words =
    said.event === 'hosting'
      ? `${said.agent} works on ${said.run} in ${said.workspace} (runner ${said.generation}).`
      : said.why === 'closed'
        ? `${said.run} is closed.`
        : said.why === 'resting'
          ? `${said.run} has nothing to do, and its log has everything.`
          : `Stopped; \`${context.called.farhand} run --run ${said.run}\` goes on.`
  if (flags.json) context.out(`${JSON.stringify(said)}\n`)
  else context.note(`${words}\n`)
}
