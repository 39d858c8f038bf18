import { realpathSync } from 'node:fs'
import path from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The PATH for git and its helper programs, without folders that a run may write to: `npx` and `npm run` put
 * `node_modules/.bin` first, and direnv may add a `bin` of the folder, and a run could leave a program called git
 * there. Empty if there is no PATH.
 */
export function pathForGit(env: Env, folders: readonly (string | undefined)[]): { PATH?: string } {
  if (env.PATH === undefined) return {}
  const around = folders.flatMap((folder) =>
    folder === undefined ? [] : [path.resolve(folder), realOr(folder)],
  )
  const isOfRun = (place: string) =>
    around.some((folder) => place === folder || place.startsWith(folder + path.sep))
  const kept = env.PATH.split(path.delimiter).filter(
    (place) =>
      path.isAbsolute(place) &&
      !ofPackages.test(place) &&
      !isOfRun(path.resolve(place)) &&
      !isOfRun(realOr(place)),
  )
  return { PATH: kept.join(path.delimiter) }
}

const ofPackages = /[/\\]node_modules[/\\]\.bin[/\\]?$/

function realOr(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}
