import { userExcludes } from '@farhand/device/git/user-excludes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { World } from '../context/world.ts'
import { leftOutOf } from './first-look.ts'

/** What the user of a folder has said, outside of it, about which of its files are sent. */
export async function userRules(
  folder: string,
  state: StateFolder,
  { env, home }: Pick<World, 'env' | 'home'>,
): Promise<{ leftOut: string[]; excludes?: string }> {
  const excludes = await userExcludes(folder, { env, home })
  return { leftOut: leftOutOf(state, folder), ...(excludes !== null && { excludes }) }
}
