import path from 'node:path'

/** What decides where a user's programs keep their state. */
export type StatePlace = {
  env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  home: string
  platform: string
  /** The folder to which a relative path refers. */
  cwd: string
}

/** The folder in which this machine remembers its linked folders and runs: --state, FARHAND_STATE, or what is usual on this system. */
export function stateFolderPath(flag: unknown, { env, home, platform, cwd }: StatePlace): string {
  const said = (typeof flag === 'string' && flag) || env.FARHAND_STATE
  if (said) return path.resolve(cwd, said)
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'farhand')
  if (platform === 'win32')
    return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'farhand')
  // The XDG specification ignores relative paths.
  const xdg = env.XDG_STATE_HOME
  const state = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'state')
  return path.join(state, 'farhand')
}
