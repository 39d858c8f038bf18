import path from 'node:path'
import { isWithin } from '@farhand/sync/state/state-folder'
import { type GitEnv, gitEnv, runGit } from './run-git.ts'

/**
 * The user's global ignore file (`core.excludesFile`, or git's default), whether it exists or not. Null if the user has
 * switched it off. A value from a file inside the folder does not count: an agent may have written it.
 */
export async function userExcludes(
  folder: string,
  { env, home }: { env: GitEnv; home: string },
): Promise<string | null> {
  const words = ['config', '--show-origin', '--type=path', '-z', '--get-all', 'core.excludesFile']
  // Without git, or without the setting, git's default applies.
  const said = await runGit(words, { cwd: folder, env: gitEnv(env) }).catch(() => null)
  const set = said && lastOfUsers(said.toString('utf8').split('\0'), folder)
  if (set === '') return null
  if (set) return path.resolve(folder, set)
  const config = env.XDG_CONFIG_HOME || path.join(env.HOME ?? home, '.config')
  return path.join(config, 'git/ignore')
}

/** The output alternates origins and values; the last value counts. */
function lastOfUsers(said: readonly string[], folder: string): string | null {
  let last: string | null = null
  for (let at = 0; at + 1 < said.length; at += 2) {
    const origin = path.resolve(folder, said[at]!.replace(/^[a-z ]+:/, ''))
    const isOfRun = isWithin(folder, origin) && !isWithin(path.join(folder, '.git'), origin)
    if (!isOfRun) last = said[at + 1]!
  }
  return last
}
