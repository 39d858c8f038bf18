import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import { findRun, initRun, runStatus } from '@farhand/client/resources/resources'
import { currentPlacement } from '@farhand/device/known-runs/current-placement'
import type { KnownRun, KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunMode } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { offerFolder } from '../attach/offer-folder.ts'
import { reachRun } from '../find-run/reach-run.ts'
import { troubleIfPaused } from '../link/paused-trouble.ts'
import { followLink, type StartedLink, startLink } from '../link/start-link.ts'
import { reopening } from './leave-run.ts'
import { hostHere } from './new-run.ts'
import type { AgentRunFlags } from './run-flags.ts'
import type { Begun } from './start-times.ts'

/** A run that this command has made or joined. */
export type OpenedRun = {
  hub: Hub
  at: RunAddress
  /** Null if the run's agent works elsewhere. */
  known: KnownRun | null
  /** The run, if another process of this machine hosts its agent. */
  hosted: KnownRun | null
  mode: RunMode
  /** What keeps the run's folder in sync; null if there is no folder here, or another process syncs it. */
  link: StartedLink | null
  /** How long the steps of a new run in a sandbox took. */
  begun: Begun | null
}

/** Joins an existing run: reopens it for a message, and has its folder synced or its agent hosted here again where that is due. */
export async function joinRun(
  flags: AgentRunFlags,
  { says, canAsk }: { says: boolean; canAsk: boolean },
  { runs, stateFolderPath }: { runs: KnownRuns; stateFolderPath: string },
  context: CommandContext,
): Promise<OpenedRun> {
  const { hub, at, known: remembered } = await reachRun(String(flags.run), flags, context)
  const mode = await open({ hub, at }, says, context)
  const known = remembered && (await currentPlacement(remembered, { hub, runs }, context.stop))
  const run = { hub, at, mode, known: null, hosted: null, link: null, begun: null }
  if (known?.sandbox !== undefined)
    return { ...run, known, link: await linkAgain(known, stateFolderPath, context) }
  const offered =
    canAsk && !known && !flags.agent ? await offerFolder({ hub, at }, stateFolderPath, context) : null
  if (offered) {
    runs.save(offered)
    // The folder has only files that the run has had: the run's versions count.
    const link = startLink(offered, { state: new StateFolder(stateFolderPath), once: ['--theirs'] }, context)
    return { ...run, known: offered, link }
  }
  if (runs.holder(at.run) !== null) return { ...run, hosted: known }
  if (!known && flags.agent === undefined) return run
  if (!known) await refuseFar({ hub, at }, context)
  try {
    return { ...run, known: await hostHere({ hub, at, known }, flags, runs, context) }
  } catch (error) {
    // Its folder is taken, perhaps by a runner of this run that another process has just started.
    if (runs.holder(at.run) === null) throw error
    return { ...run, hosted: known }
  }
}

type Place = { hub: Hub; at: RunAddress }

/** The mode of an existing run, which is reopened if a message is sent to it. */
async function open({ hub, at }: Place, says: boolean, context: CommandContext): Promise<RunMode> {
  const inTrouble = asHubTrouble(hub.url, context)
  const { status, mode } = await runStatus(hub, at, { signal: context.stop, patienceMs }).catch(inTrouble)
  if (status === 'closed' && !says)
    throw new Trouble('runClosed', `${runInWords(at.run)} is closed.`, reopening(at.run, context))
  if (status === 'closed') await initRun(hub, at, { signal: context.stop }).catch(inTrouble)
  return mode
}

/** Links the folder of a run in a sandbox again, or follows its link; tells the user why if neither is possible. */
async function linkAgain(
  known: KnownRun,
  stateFolderPath: string,
  context: CommandContext,
): Promise<StartedLink | null> {
  if (known.workspace === '') return null
  const state = new StateFolder(stateFolderPath)
  const { folderHolder } = await import('@farhand/device/linked-folders/lock-folder')
  if (folderHolder(state, known.workspace) === null) {
    const paused = troubleIfPaused(known.workspace, state, context)
    if (paused) context.note(`${paused.message} ${paused.nextStep}\n`)
    else if (existsSync(known.workspace)) return startLink(known, { state }, context)
    else context.note(`${known.workspace} is gone: files of the run are not kept here.\n`)
  } else if (state.find(known.workspace)?.at.run !== known.at.run)
    context.note(`${known.workspace} is linked to another run now: files of this one do not appear there.\n`)
  else return followLink(known, state, context)
  return null
}

/** Refuses --agent for a run in a sandbox: a runner here would fence the one there. */
async function refuseFar({ hub, at }: Place, { stop }: CommandContext): Promise<void> {
  const { sandbox } = await findRun(hub, at.run, { signal: stop, patienceMs })
  if (sandbox === null || sandbox === 'none') return
  throw new Trouble(
    'usage',
    `The agent of ${runInWords(at.run)} works in a sandbox of ${hub.url}.`,
    'Leave --agent out.',
  )
}
