import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, closeRun } from '@farhand/client/resources/resources'
import { rememberAgent } from '@farhand/device/installed-agents/folder-agent'
import { localAgents, unknownAgent } from '@farhand/device/installed-agents/local-agents'
import { refuseAgent } from '@farhand/device/installed-agents/refuse-agent'
import { restoreLink } from '@farhand/device/linked-folders/restore-link'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import type { KnownRun, LocalRuns } from '@farhand/device/local-runs/local-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunPlace } from '@farhand/device/worktrees/find-run-place'
import type { Run } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseAgent } from '../agents/choose-agent.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { firstLook } from '../first-look/first-look.ts'
import { warmUserDevice } from '../link/ensure-user-device.ts'
import { freeFolder } from '../link/free-folder.ts'
import { troubleIfPaused } from '../link/paused-trouble.ts'
import { followLink, type StartedLink, startLink } from '../link/start-link.ts'
import { createIn } from './new-run.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import type { AgentRunFlags } from './run-flags.ts'
import type { SandboxAsked } from './sandbox-flags.ts'
import type { StartMarks } from './start-times.ts'

/** `link` keeps the run's folder in sync; null if there is no folder here, or another process syncs it. */
export type SandboxRun = { hub: Hub; at: RunAddress; known: KnownRun; link: StartedLink | null }

export type Begun = { createdAt: string; marks: StartMarks & { created: number } }

/**
 * Makes a run whose agent works in a sandbox of the hub; resolves when the hub has all files that the agent needs. An
 * error before that leaves no open run behind; null if the user stops it.
 */
export async function newSandboxRun(
  prompt: string | undefined,
  asked: SandboxAsked,
  flags: AgentRunFlags,
  here: { runs: LocalRuns; stateFolderPath: string; since: number },
  context: CommandContext,
): Promise<(SandboxRun & { begun: Begun }) | null> {
  const state = new StateFolder(here.stateFolderPath)
  const hasFolder = asked.terms.clone === undefined || flags.folder !== undefined
  const device = hasFolder ? warmUserDevice(here.stateFolderPath, context) : null
  try {
    return await newRunIn(state, prompt, asked, flags, here, context)
  } finally {
    device?.end()
  }
}

async function newRunIn(
  state: StateFolder,
  prompt: string | undefined,
  asked: SandboxAsked,
  flags: AgentRunFlags,
  here: { runs: LocalRuns; stateFolderPath: string; since: number },
  context: CommandContext,
): Promise<(SandboxRun & { begun: Begun }) | null> {
  if (asked.terms.clone !== undefined) {
    const workspace = await emptyFolder(flags, state, context)
    return await runIn({ workspace, origin: workspace, worktree: null }, prompt, asked, flags, here, context)
  }
  const { placeForRun } = await import('../worktree/place-for-run.ts')
  const { discardPlace } = await import('@farhand/device/worktrees/find-run-place')
  const { worktree, json } = flags
  const place = await placeForRun({ folder: given(flags), prompt, worktree, json }, state, context)
  try {
    const run = await runIn(place, prompt, asked, flags, here, context)
    if (!run) await discardPlace(place, state, context)
    return run
  } catch (error) {
    await discardPlace(place, state, context)
    throw error
  }
}

async function runIn(
  { workspace, origin, worktree }: RunPlace,
  prompt: string | undefined,
  { kind, terms }: SandboxAsked,
  flags: AgentRunFlags,
  { runs, stateFolderPath, since }: { runs: LocalRuns; stateFolderPath: string; since: number },
  context: CommandContext,
): Promise<(SandboxRun & { begun: Begun }) | null> {
  const state = new StateFolder(stateFolderPath)
  const isClone = terms.clone !== undefined
  const before = workspace === '' ? null : state.find(workspace)
  const choice = { state, folder: origin, isFar: true, json: flags.json === true }
  const agent = await chooseAgent(flags.agent, choice, context)
  const agents = localAgents(stateFolderPath, context)
  const found = agents.find(({ entry }) => entry.id === agent)
  const wants = found?.entry.passes ?? []
  const about = { folder: origin || context.cwd, begins: true, wants }
  const hub = await hubAccess(flags, state, context, about)
  const { url, token } = hub
  // A remote hub may have agents that this machine does not know.
  const isOwn = new LocalHub(state.root).note?.urls.includes(url) === true
  if (!found && isOwn) throw unknownAgent(agent, agents, stateFolderPath)
  if (found?.is !== 'usable') {
    const hasSecrets = (terms.secrets ?? []).length > 0
    await refuseAgent(agent, { hub, hasSecrets, signal: context.stop }).catch((error: unknown) => {
      throw hubTrouble(error, url, context) ?? error
    })
  }
  // Before the run is made: a user who does not want to send this folder leaves nothing behind.
  if (!isClone) await firstLook(workspace, { state, hub: url, flags, withCommits: true }, context)
  const mode = flags.background ? 'background' : 'interactive'
  const name = isClone ? path.basename(new URL(terms.clone!.url).pathname, '.git') : path.basename(origin)
  const project = name || 'clone'
  const { bringForRun } = await import('../bring/bring-for-run.ts')
  const making = async () => {
    const bring = await bringForRun({ flags, stateFolderPath, hub, agent, project, terms }, context)
    const asked = { agent, mode, sandbox: kind, terms: bring.terms } as const
    return { bring, run: await createIn(hub, project, prompt, asked, context) }
  }
  const made = await making().catch((error: unknown) => {
    if (context.stop.aborted) return null
    throw hubTrouble(error, url, context) ?? error
  })
  if (!made) {
    context.note('Stopped before the message was sent.\n')
    return null
  }
  const { run, bring } = made
  const at = addressOf(run)
  const begun: Begun = { createdAt: run.createdAt, marks: { created: performance.now() - since } }
  try {
    refuseOldHub(run, url)
    const known: KnownRun = {
      ...{ url, token, at, agent, workspace, sandbox: kind },
      ...(worktree && { worktree }),
    }
    runs.save(known)
    await bring.send(at)
    const mark = (step: keyof StartMarks) => {
      begun.marks[step] = performance.now() - since
    }
    const link =
      workspace === '' ? null : await prepareWorkspace(known, { hub, state, isClone, flags, mark }, context)
    // Only now: an agent that cannot work there must not become the default.
    rememberAgent(state, origin, agent)
    // As a runner on this machine does when it begins.
    void import('@farhand/device/prune-runs/forget-old-runs').then(({ forgetOldRuns }) =>
      forgetOldRuns(runs, stateFolderPath, context.stop),
    )
    return { hub, at, known, link, begun }
  } catch (error) {
    // No message was sent: the run must not stay open.
    await closeRun(hub, at, { patienceMs }).catch(() => {})
    if (workspace !== '') await restoreLink(workspace, { state, at, before })
    if (context.stop.aborted && !(error instanceof Trouble)) {
      context.note(`Stopped before the message was sent. ${runInWords(at.run)} is closed.\n`)
      return null
    }
    throw hubTrouble(error, url, context) ?? error
  }
}

const given = ({ folder }: AgentRunFlags) => String(folder ?? '.')

/** The folder for a cloned repository: it must be empty. An empty path means that no folder is synced. */
async function emptyFolder(
  flags: AgentRunFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<string> {
  if (flags.folder === undefined) return ''
  const place = path.resolve(context.cwd, given(flags))
  if (!existsSync(place)) mkdirSync(place, { recursive: true })
  const folder = await freeFolder(place, state, context)
  if (readdirSync(folder).every((name) => name === '.farhand')) return folder
  throw new Trouble(
    'usage',
    `${folder} is not empty, and --clone begins with what it fetches.`,
    'Name an empty folder, or leave --folder out: then nothing is kept here.',
  )
}

/** Refuses a hub that is too old for sandboxes: a newer one answers with the terms of the sandbox. */
function refuseOldHub({ terms }: Run, url: string): void {
  if (terms !== undefined) return
  throw new Trouble(
    'failed',
    `The hub at ${url} has no sandboxes: it is older than this command.`,
    'Start a newer one there, or have the agent work in this folder: --here',
  )
}

/** Links the folder of a run in a sandbox again, or follows its link; tells the user why if neither is possible. */
export async function linkAgain(
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
