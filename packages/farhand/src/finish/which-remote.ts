/** What git is told about where a branch is pushed to. */
export type RemoteSettings = {
  remotes: readonly string[]
  /** Of the branch that is checked out, then of all. */
  pushRemote: string | null
  pushDefault: string | null
  follows: string | null
}

/** The remote that git itself would push to; null if it would not know. */
export function whichRemote({ remotes, pushRemote, pushDefault, follows }: RemoteSettings): string | null {
  const said = [pushRemote, pushDefault, follows].find((name) => name !== null && remotes.includes(name))
  if (said != null) return said
  if (remotes.length === 1) return remotes[0]!
  return remotes.includes('origin') ? 'origin' : null
}
