import { readFirstLook } from '@farhand/sync/state/first-look-memory'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { userExcludes } from '../git/user-excludes.ts'

/** The paths of a folder that the user chose not to send from this machine. */
export const leftOutPaths = (state: StateFolder, folder: string): string[] =>
  readFirstLook(state.placeOf(folder)).leftOut

/** The user's own rules about which files of a folder are sent, from outside the folder. */
export async function userRules(
  folder: string,
  state: StateFolder,
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
): Promise<{ leftOut: string[]; excludes?: string }> {
  const excludes = await userExcludes(folder, { env, home })
  return { leftOut: leftOutPaths(state, folder), ...(excludes !== null && { excludes }) }
}
