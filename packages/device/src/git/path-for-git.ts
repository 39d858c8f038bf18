import path from 'node:path'
import { realPath } from '../real-path.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The PATH for git and its helper programs, without folders that a run may write to: `npx` and `npm run` put
 * `node_modules/.bin` first, and direnv may add a `bin` of the folder, and a run could leave a program called git
 * there. Empty if there is no PATH.
 */
export function pathForGit(env: Env, folders: readonly (string | undefined)[]): { PATH?: string } {
  if (env.PATH === undefined) return {}
  const around = folders.flatMap((folder) =>
    folder === undefined ? [] : [path.resolve(folder), realPath(folder)],
  )
  const isOfRun = (place: string) =>
    around.some((folder) => place === folder || place.startsWith(folder + path.sep))
  const kept = env.PATH.split(path.delimiter).filter(
    (place) =>
      path.isAbsolute(place) &&
      !ofPackages.test(place) &&
      !isOfRun(path.resolve(place)) &&
      !isOfRun(realPath(place)),
  )
  return { PATH: kept.join(path.delimiter) }
}

const ofPackages = /[/\\]node_modules[/\\]\.bin[/\\]?$/
