/** Git's settings about where a branch is pushed to. */
export type RemoteSettings = {
  remotes: readonly string[]
  /** `branch.<name>.pushRemote` of the current branch, and `remote.pushDefault`. */
  pushRemote: string | null
  pushDefault: string | null
  follows: string | null
}

export function whichRemote({ remotes, pushRemote, pushDefault, follows }: RemoteSettings): string | null {
  const said = [pushRemote, pushDefault, follows].find((name) => name !== null && remotes.includes(name))
  if (said != null) return said
  if (remotes.length === 1) return remotes[0]!
  return remotes.includes('origin') ? 'origin' : null
}
