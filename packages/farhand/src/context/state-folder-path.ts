import path from 'node:path'
import type { CommandContext } from './command-context.ts'

/** Where this machine remembers its linked folders, by the custom of its system unless someone says otherwise. */
export function stateFolderPath(
  flag: unknown,
  { env, home, platform, cwd }: Pick<CommandContext, 'env' | 'home' | 'platform' | 'cwd'>,
): string {
  const said = (typeof flag === 'string' && flag) || env.FARHAND_STATE
  if (said) return path.resolve(cwd, said)
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'farhand')
  if (platform === 'win32')
    return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'farhand')
  // The rule of the XDG folders: what is not absolute does not count.
  const xdg = env.XDG_STATE_HOME
  const state = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'state')
  return path.join(state, 'farhand')
}
