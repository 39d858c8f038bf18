import { basename } from 'node:path'
import type { Hub } from '@farhand/client/hub'
import { addressOf, createProject, createRun, createTask, findRun } from '@farhand/client/resources'
import type { RunAddress } from '@farhand/protocol/routes'
import { StateFolder } from '@farhand/sync/state-folder'
import type { AgentRunFlags } from './agent-run.ts'
import { usableAgent } from './agents-here.ts'
import { hubTrouble, patienceMs } from './find-run.ts'
import { folderToLink } from './folder-to-link.ts'
import { hubAccess } from './hub-access.ts'
import { projectNamed } from './project-named.ts'
import type { KnownRun, RunsHere } from './runs-here.ts'
import { firstLine } from './shown-text.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

/** Makes a run whose agent will work in a folder of this machine; what would keep it from that is trouble before. */
export async function newRun(
  prompt: string | undefined,
  flags: AgentRunFlags,
  { runs, statePlace }: { runs: RunsHere; statePlace: string },
  world: World,
): Promise<{ hub: Hub; at: RunAddress; known: KnownRun }> {
  if (flags.agent === undefined)
    throw new Trouble(
      'usage',
      'Which agent?',
      `Name one with --agent; \`${world.called.farhand} agents\` lists them.`,
    )
  const agent = usableAgent(String(flags.agent), statePlace, world)
  const state = new StateFolder(statePlace)
  const workspace = await freeFolder(String(flags.folder ?? '.'), state, world)
  const { url, token } = await hubAccess(flags, state, world)
  const hub: Hub = { url, token }
  const name = basename(workspace)
  try {
    const options = { signal: world.stop, patienceMs }
    const found = await projectNamed(hub, name, world.stop)
    const project = found ?? (await createProject(hub, { name }, options))
    const title = (prompt && firstLine(prompt, 200)) || `Work in ${name}`
    const task = await createTask(hub, project.id, { title }, options)
    const mode = flags.background ? 'background' : 'interactive'
    const run = await createRun(
      hub,
      project.id,
      task.id,
      { agent: agent.entry.id, mode, sandbox: 'none' },
      options,
    )
    const at = addressOf(run)
    const known: KnownRun = { url, token, at, agent: agent.entry.id, workspace }
    runs.save(known)
    return { hub, at, known }
  } catch (error) {
    throw hubTrouble(error, url, world) ?? error
  }
}

/** What it takes to have the agent of a run work here again, or for the first time. */
export async function hostHere(
  { hub, at, known }: { hub: Hub; at: RunAddress; known: KnownRun | null },
  flags: AgentRunFlags,
  runs: RunsHere,
  world: World,
): Promise<KnownRun> {
  const place = statePlace(flags.state, world)
  const said = flags.agent ?? known?.agent ?? (await findRun(hub, at.run, { signal: world.stop })).agent
  const agent = usableAgent(String(said), place, world)
  const folder = String(flags.folder ?? known?.workspace ?? '.')
  const workspace = await freeFolder(folder, new StateFolder(place), world)
  const again = { url: hub.url, token: hub.token ?? '', at, agent: agent.entry.id, workspace }
  runs.save(again)
  return again
}

async function freeFolder(given: string, state: StateFolder, world: World): Promise<string> {
  const workspace = await folderToLink(given, state.root, world)
  const { folderHolder, folderTaken } = await import('./lock-folder.ts')
  const holder = folderHolder(state, workspace)
  if (holder !== null) throw folderTaken(workspace, holder)
  return workspace
}
