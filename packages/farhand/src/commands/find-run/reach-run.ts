import type { Hub } from '@farhand/client/requests/hub'
import {
  mostNamed,
  type NotOne,
  type ReachedRun,
  reachRun as reach,
  wholeId as whole,
} from '@farhand/device/find-run/reach-run'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess, reachableHub } from './hub-access.ts'

export type ReachFlags = { hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** The run that the user named: by its id, by a beginning of the id that is unique, or by its whole address. */
export async function reachRun(
  named: string,
  flags: ReachFlags,
  context: CommandContext,
): Promise<ReachedRun> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const found = await reach(named, {
    stateFolder: state.root,
    isOtherHub: flags.hub !== undefined || flags.token !== undefined,
    hubOf: (known) => reachableHub(known, flags, state, context),
    hub: () => hubAccess(flags, state, context, { folder: context.cwd }),
    explain: (error, { url }) => hubTrouble(error, url, context) ?? error,
    stop: context.stop,
  })
  if (found.is === 'not-one') throw notOne(named, found, context)
  return found.run
}

/** The whole id for a shortened one as lists show it; any other text is returned as it is. */
export async function wholeId(hub: Hub, named: string, context: CommandContext): Promise<string> {
  const found = await whole(hub, named, context.stop)
  if (found.is === 'not-one') throw notOne(named, found, context)
  return found.id
}

function notOne(named: string, { found }: NotOne, { called }: CommandContext): Trouble {
  const list = `\`${called.farhand} ls\` lists the runs that there are.`
  if (found.length === 0) return new Trouble('usage', `No run begins with ${named}.`, list)
  const some = found.slice(0, mostNamed).map(({ run }) => run)
  return new Trouble('usage', `Several runs begin with ${named}: ${some.join(', ')}.`, 'Give more of its id.')
}
