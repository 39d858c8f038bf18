import { userExcludes } from '@farhand/device/git/user-excludes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { leftOutPaths } from './first-look.ts'

/** The user's own rules about which files of a folder are sent, from outside the folder. */
export async function userRules(
  folder: string,
  state: StateFolder,
  { env, home }: Pick<CommandContext, 'env' | 'home'>,
): Promise<{ leftOut: string[]; excludes?: string }> {
  const excludes = await userExcludes(folder, { env, home })
  return { leftOut: leftOutPaths(state, folder), ...(excludes !== null && { excludes }) }
}
