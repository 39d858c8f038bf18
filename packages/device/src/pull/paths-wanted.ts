import path from 'node:path'
import { nearestNames } from '@farhand/kit/nearest-names'
import { Trouble } from '../trouble/trouble.ts'
import { pathInWords } from '../wording/path-in-words.ts'

/** A filter for the files and folders that the user named from `cwd`; all paths if none. */
export function pathsWanted(
  given: readonly string[],
  { folder, cwd }: { folder: string; cwd: string },
  known: Iterable<string>,
): (path: string) => boolean {
  if (given.length === 0) return () => true
  const all = [...known]
  const wanted = given.map((name) => {
    const asRun = inRun(name, folder, cwd)
    if (asRun === '' || all.some((one) => isIn(asRun, one))) return asRun
    const near = nearestNames(asRun, all).map(pathInWords)
    throw new Trouble(
      'usage',
      `Neither the run nor this folder has ${pathInWords(asRun)}.`,
      near.length > 0
        ? `Did you mean ${near.join(', ')}?`
        : 'Paths are those of the run, from its top folder.',
    )
  })
  return (one) => wanted.some((name) => name === '' || isIn(name, one))
}

const isIn = (name: string, one: string) => one === name || one.startsWith(`${name}/`)

function inRun(name: string, folder: string, cwd: string): string {
  const way = path.relative(folder, path.resolve(cwd, name))
  // Outside the folder, names are paths of the run.
  const isOutside = way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)
  const named = isOutside ? path.normalize(name) : way
  return named.split(path.sep).join('/').replace(/\/$/, '').normalize('NFC')
}
