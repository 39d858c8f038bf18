import { realpathSync } from 'node:fs'
import path from 'node:path'
import { isWithin, type Link, type StateFolder } from '@farhand/sync/state/state-folder'
import { Trouble } from '../trouble/trouble.ts'

type WorkingFolder = { cwd: string }

/** The link of the folder that contains the given path, else of the one that contains the working folder. */
export const linkAround = (state: StateFolder, context: WorkingFolder, given?: string): Link | null =>
  placesMeant(context, given)
    .map((name) => state.around(name))
    .find((link) => link !== null) ?? null

/** The real paths of the given path, the likeliest first, and of the working folder. */
export function placesMeant({ cwd }: WorkingFolder, given?: string): string[] {
  const place = path.resolve(cwd, given ?? '')
  return [realPlace(place), realName(place), realName(cwd)]
}

/** A path as the run has it: relative to the linked folder, else as the user gave it. */
export function pathInRun(given: string, link: Pick<Link, 'folder'> | null, { cwd }: WorkingFolder): string {
  if (!link) return given.split(path.sep).join('/').replace(/^\.\//, '').normalize('NFC')
  const absolute = path.resolve(realName(cwd), given)
  const way = path.relative(link.folder, realPlace(absolute))
  if (way === '') {
    const next = `Name one, such as ${path.join(given, 'src/main.ts')}.`
    throw new Trouble('usage', `${given} is the linked folder itself; only files have a history.`, next)
  }
  if (way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    const next = `It holds paths below ${link.folder}; name another run with --run.`
    throw new Trouble('usage', `${given} is not in the linked folder.`, next)
  }
  return way.split(path.sep).join('/').normalize('NFC')
}

/** A path in a linked folder as the user can type it in the working folder: hints must work when copied. */
export function pathFrom(cwd: string, { folder }: Pick<Link, 'folder'>, name: string): string {
  const here = realName(cwd)
  const file = path.join(folder, name)
  return isWithin(folder, here) ? path.relative(here, file) : file
}

// A symlink is synced as a symlink: only the folders above it are resolved.
const realPlace = (file: string) => path.join(realName(path.dirname(file)), path.basename(file))

/** The real path. A deleted path, which the user may want to restore, is resolved as far as it still exists. */
function realName(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    const above = path.dirname(place)
    return above === place ? place : path.join(realName(above), path.basename(place))
  }
}
