import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { findNamedRun, runNamed } from '@farhand/device/find-run/run-named'
import { runOfPlace } from '@farhand/device/find-run/run-of-place'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess, reachableHub } from './hub-access.ts'
import { wholeId } from './reach-run.ts'

export type RunFlags = { run?: unknown; hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** The run that a command is about, and how to reach its hub; `folder` is the local folder with its files, if there is one. */
export type LinkedRun = {
  hub: Hub
  at: RunAddress
  link: Link | null
  folder: string | null
  /** The folder to which the user's paths are relative; null if they are paths of the run. */
  pathsIn: { folder: string } | null
}

/**
 * The run that the user named with --run; else the run of the linked folder that contains the given path; else the run of
 * the working folder. A folder in which an agent has worked without a sandbox is not linked: then the run that began there
 * last. With `changes`, the run of another folder counts only if the user has chosen it.
 */
export async function linkedRun(
  flags: RunFlags,
  context: CommandContext,
  given?: string,
  { changes = false } = {},
): Promise<LinkedRun> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const place = path.resolve(context.cwd, given ?? '')
  const runs = new KnownRuns(state.root)
  const { link, known } = runOfPlace(state, context.cwd, given)
  if (flags.run === undefined && !link) {
    if (known) {
      const hub = await reachableHub(known, flags, state, context)
      const folder = known.workspace
      return { hub, at: known.at, link: null, folder, pathsIn: { folder } }
    }
    if (context.ask && !flags.json) {
      const { chooseRun } = await import('./choose-run.ts')
      return await linkedRun({ ...flags, run: await chooseRun(flags, context, { changes }) }, context, given)
    }
    throw new Trouble(
      'usage',
      `Which run? ${place} is in no linked folder.${openInWords(runs)}`,
      `Give a path in one (\`${context.called.farhand} links\` lists them), or name a run with --run.`,
    )
  }
  const isOther = flags.run !== undefined || flags.hub !== undefined || flags.token !== undefined
  const near = link && (await reachableHub(link, flags, state, context))
  if (link && !isOther) return { hub: near!, at: link.at, link, folder: link.folder, pathsIn: link }
  const access = near ? { hub: near.url, token: near.token } : {}
  const hub = await hubAccess({ ...access, ...withoutHoles(flags) }, state, context)
  const { url } = hub
  if (flags.run === undefined) return { hub, at: link!.at, link, folder: link!.folder, pathsIn: link }
  const inTrouble = asHubTrouble(url, context)
  const named = runNamed(await wholeId(hub, String(flags.run), context).catch(inTrouble))
  if (named.is === 'new') throw new Trouble('usage', 'A new run has no history.', 'Name an existing run.')
  const at = await findNamedRun(hub, named, '', context.stop).catch(inTrouble)
  const own = link && link.at.run === at.run ? link : null
  const folder = own?.folder ?? (runs.find(at.run)?.workspace || null)
  return { hub, at, link: own, folder, pathsIn: own }
}

const mostNamed = 5

/** The runs that this machine remembers as open, as the end of a sentence. */
function openInWords(runs: KnownRuns): string {
  const open = runs.all().filter(({ at }) => runs.closedAt(at.run) === null)
  const named = open.slice(0, mostNamed).map(({ at }) => runInWords(at.run))
  return named.length === 0
    ? ''
    : ` Known here: ${named.join(', ')}${open.length > mostNamed ? ' and more' : ''}.`
}

const withoutHoles = (flags: RunFlags) =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
