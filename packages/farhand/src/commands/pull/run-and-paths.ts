import type { Hub } from '@farhand/client/requests/hub'
import { PullMemory } from '@farhand/device/pull/pull-memory'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess, reachableHub } from '../find-run/hub-access.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'

export type RunAndPaths = { hub: Hub; at: RunAddress; link: Link | null; paths: string[] }

/**
 * The run that a command is about: the one that its first word names, else that of the folder. The other words are
 * paths.
 */
export async function runAndPaths(
  words: readonly string[],
  folder: string,
  flags: ReachFlags,
  context: CommandContext,
): Promise<RunAndPaths> {
  const [first, ...rest] = words
  const place = stateFolderPath(flags.state, context)
  const state = new StateFolder(place)
  const link = state.around(folder)
  if (first !== undefined && /^(run_|prj_)/.test(first)) {
    const { hub, at } = await reachRun(first, flags, context)
    return { hub, at, link: link?.at.run === at.run ? link : null, paths: rest }
  }
  const isOther = flags.hub !== undefined || flags.token !== undefined
  if (link && !isOther) {
    const hub = await reachableHub(link, flags, state, context)
    return { hub, at: link.at, link, paths: [...words] }
  }
  // In a linked folder, with another folder to pull into, the user means the run of the current folder.
  const known = link ?? new PullMemory(place, folder).read() ?? state.around(context.cwd)
  if (!known)
    throw new Trouble(
      'usage',
      `Which run? ${folder} is linked to none, and none was pulled into it.`,
      `Name one: \`${context.called.farhand} ls\` lists them.`,
    )
  const { url } = await reachableHub({ url: known.url, token: '' }, flags, state, context)
  const hub = await hubAccess({ hub: url, ...flags }, state, context)
  return { hub, at: known.at, link, paths: [...words] }
}
