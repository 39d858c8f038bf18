import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Hub } from '@farhand/client/hub'
import type { RunAddress } from '@farhand/protocol/routes'
import { isWithin, type Link, StateFolder } from '@farhand/sync/state-folder'
import { findNamedRun, hubTrouble } from './find-run.ts'
import { awake, hubAccess } from './hub-access.ts'
import { wholeId } from './reach-run.ts'
import { runNamed } from './run-named.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type RunFlags = { run?: unknown; hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** The run that a command is about, and how to reach its hub. */
export type LinkedRun = { hub: Hub; at: RunAddress; link: Link | null }

/**
 * The run that was named, or else that of the linked folder in which the given place lies, wherever the command was
 * called; where no place is given, or it lies in none, that of the folder in which one stands.
 */
export async function linkedRun(flags: RunFlags, world: World, given?: string): Promise<LinkedRun> {
  const state = new StateFolder(statePlace(flags.state, world))
  const place = path.resolve(world.cwd, given ?? '')
  const names = [realPlace(place), realName(place), realName(world.cwd)]
  const link = names.map((name) => state.around(name)).find((link) => link !== null) ?? null
  if (flags.run === undefined && !link) {
    throw new Trouble(
      'usage',
      `Which run? ${place} is in no linked folder.`,
      `Give a path in one (\`${world.called.farhand} links\` lists them), or name a run with --run.`,
    )
  }
  const isOther = flags.run !== undefined || flags.hub !== undefined || flags.token !== undefined
  const near = link && (await awake(link, flags, state, world))
  if (link && !isOther) return { hub: near!, at: link.at, link }
  const known = near ? { hub: near.url, token: near.token } : {}
  const hub = await hubAccess({ ...known, ...withoutHoles(flags) }, state, world)
  const { url } = hub
  if (flags.run === undefined) return { hub, at: link!.at, link }
  const inTrouble = (error: unknown) => {
    throw hubTrouble(error, url, world) ?? error
  }
  const named = runNamed(await wholeId(hub, String(flags.run), world).catch(inTrouble))
  if (named.is === 'new') throw new Trouble('usage', 'A new run has no history.', 'Name one that there is.')
  const at = await findNamedRun(hub, named, '', world.stop).catch(inTrouble)
  return { hub, at, link: link && link.at.run === at.run ? link : null }
}

const withoutHoles = (flags: RunFlags) =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))

/** A path as its run calls it: from where the command was called if that is in the linked folder, else as it is given. */
export function pathInRun(given: string, link: Link | null, world: World): string {
  if (!link) return given.split(path.sep).join('/').replace(/^\.\//, '').normalize('NFC')
  const absolute = path.resolve(realName(world.cwd), given)
  const way = path.relative(link.folder, realPlace(absolute))
  if (way === '') {
    const next = `Name one, such as ${path.join(given, 'src/main.ts')}.`
    throw new Trouble('usage', `${given} is the linked folder itself; histories are of files in it.`, next)
  }
  if (way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    const next = `It holds paths below ${link.folder}; name another run with --run.`
    throw new Trouble('usage', `${given} is not in the linked folder.`, next)
  }
  return way.split(path.sep).join('/').normalize('NFC')
}

/** A path below a linked folder as it can be typed where one stands: a hint that must work if it is copied. */
export function pathFrom(cwd: string, { folder }: Pick<Link, 'folder'>, name: string): string {
  const here = realName(cwd)
  const file = path.join(folder, name)
  return isWithin(folder, here) ? path.relative(here, file) : file
}

// A link is synced as itself: only the folders above it have another name.
const realPlace = (file: string) => path.join(realName(path.dirname(file)), path.basename(file))

/** The real name of a place; one that is gone, which is when one wants it back, is named after what is left above it. */
function realName(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    const above = path.dirname(place)
    return above === place ? place : path.join(realName(above), path.basename(place))
  }
}
