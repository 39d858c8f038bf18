import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Hub } from '@farhand/client/hub'
import type { RunAddress } from '@farhand/protocol/routes'
import { type Link, StateFolder } from '@farhand/sync/state-folder'
import { findNamedRun, hubTrouble } from './find-run.ts'
import { hubAccess } from './hub-access.ts'
import { runNamed } from './run-named.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type RunFlags = { run?: unknown; hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** The run that a command is about, and how to reach its hub. */
export type LinkedRun = { hub: Hub; at: RunAddress; link: Link | null }

/** The run that was named, or else the one that the folder is linked to in which the command was called. */
export async function linkedRun(flags: RunFlags, world: World): Promise<LinkedRun> {
  const state = new StateFolder(statePlace(flags.state, world))
  const link = state.around(realName(world.cwd))
  if (flags.run === undefined && !link) {
    throw new Trouble(
      'usage',
      `Which run? ${world.cwd} is in no linked folder.`,
      `Go into one (\`${world.called.farhand} links\` lists them), or name a run with --run.`,
    )
  }
  const isOther = flags.run !== undefined || flags.hub !== undefined || flags.token !== undefined
  if (link && !isOther) return { hub: { url: link.url, token: link.token }, at: link.at, link }
  const known = link ? { hub: link.url, token: link.token } : {}
  const { url, token } = await hubAccess({ ...known, ...withoutHoles(flags) }, state, world)
  const hub = { url, token }
  if (flags.run === undefined) return { hub, at: link!.at, link }
  const named = runNamed(String(flags.run))
  if (named.is === 'new') throw new Trouble('usage', 'A new run has no history.', 'Name one that there is.')
  const at = await findNamedRun(hub, named, '', world.stop).catch((error: unknown) => {
    throw hubTrouble(error, url) ?? error
  })
  return { hub, at, link: link && link.at.run === at.run ? link : null }
}

const withoutHoles = (flags: RunFlags) =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))

/** A path as its run calls it: from where the command was called if that is in the linked folder, else as it is given. */
export function pathInRun(given: string, link: Link | null, world: World): string {
  if (!link) return given.split(path.sep).join('/').replace(/^\.\//, '').normalize('NFC')
  const absolute = path.resolve(realName(world.cwd), given)
  // The file may be gone, which is when one wants it back: only the folder it was in can be asked for its real name.
  const way = path.relative(link.folder, path.join(realName(path.dirname(absolute)), path.basename(absolute)))
  if (way === '' || way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    const next = `It holds paths below ${link.folder}; name another run with --run.`
    throw new Trouble('usage', `${given} is not in the linked folder.`, next)
  }
  return way.split(path.sep).join('/').normalize('NFC')
}

function realName(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    // Deleted, or never there: then what was typed is all that is known.
    return place
  }
}
