import { basename } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import { createRunIn } from '@farhand/device/find-run/create-run-in'
import { rememberAgent } from '@farhand/device/installed-agents/folder-agent'
import { usableAgent } from '@farhand/device/installed-agents/local-agents'
import type { KnownRun, KnownRuns } from '@farhand/device/known-runs/known-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import type { NewRun, Run } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'
import { chooseAgent } from '../agents/choose-agent.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { firstLook } from '../first-look/first-look.ts'
import { freeFolder } from '../link/free-folder.ts'
import type { AgentRunFlags } from './run-flags.ts'

/** Makes a run whose agent will work in a folder of this machine; checks folder and agent before the run is made. */
export async function newRun(
  prompt: string | undefined,
  flags: AgentRunFlags,
  { runs, stateFolderPath }: { runs: KnownRuns; stateFolderPath: string },
  context: CommandContext,
): Promise<{ hub: Hub; at: RunAddress; known: KnownRun }> {
  const state = new StateFolder(stateFolderPath)
  const { folder = '.', worktree, json } = flags
  const { placeForRun } = await import('../worktree/place-for-run.ts')
  const { discardPlace } = await import('@farhand/device/worktrees/find-run-place')
  const place = await placeForRun({ folder: String(folder), prompt, worktree, json }, state, context)
  const { workspace, origin } = place
  try {
    const choice = { state, folder: origin, isFar: false, json: json === true }
    const agent = usableAgent(await chooseAgent(flags.agent, choice, context), stateFolderPath, context)
    const hub = await hubAccess(flags, state, context, { folder: origin, begins: true })
    const { url, token } = hub
    await firstLook(workspace, { state, hub: url, flags }, context)
    const mode = flags.background ? 'background' : 'interactive'
    const asked = { agent: agent.entry.id, mode, sandbox: 'none' } as const
    const run = await createIn(hub, basename(origin), prompt, asked, context).catch(
      asHubTrouble(url, context),
    )
    const at = addressOf(run)
    const known: KnownRun = {
      ...{ url, token, at, agent: agent.entry.id, workspace },
      ...(place.worktree && { worktree: place.worktree }),
    }
    runs.save(known)
    rememberAgent(state, origin, known.agent)
    return { hub, at, known }
  } catch (error) {
    await discardPlace(place, state, context)
    throw error
  }
}

/** Makes a run in the project of this name, with a task named after the message. */
export const createIn = (
  hub: Hub,
  project: string,
  prompt: string | undefined,
  run: NewRun,
  { stop }: CommandContext,
): Promise<Run> => {
  const title = (prompt && firstLine(prompt, 200)) || `Work in ${project}`
  return createRunIn(hub, { project, title }, run, stop)
}

/** Prepares a run whose agent is to work on this machine, again or for the first time. */
export async function hostHere(
  { hub, at, known }: { hub: Hub; at: RunAddress; known: KnownRun | null },
  flags: AgentRunFlags,
  runs: KnownRuns,
  context: CommandContext,
): Promise<KnownRun> {
  const place = stateFolderPath(flags.state, context)
  const said = flags.agent ?? known?.agent ?? (await findRun(hub, at.run, { signal: context.stop })).agent
  const agent = usableAgent(String(said), place, context)
  const folder = String(flags.folder ?? known?.workspace ?? '.')
  const state = new StateFolder(place)
  const workspace = await freeFolder(folder, state, context)
  await firstLook(workspace, { state, hub: hub.url, flags }, context)
  const from = known?.cameFrom === undefined ? {} : { cameFrom: known.cameFrom }
  const again = { url: hub.url, token: hub.token ?? '', at, agent: agent.entry.id, workspace, ...from }
  runs.save(again)
  return again
}
