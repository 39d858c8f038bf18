export type HubFacts = {
  /** The hub that the command line or the environment names. */
  said: string | null
  /** The hub that runs on the data folder in the current folder. */
  running: string | null
  /** The hub of the folder or run in question. */
  near: string | null
  /** The hubs of all folders and runs of this machine, and those that the user has signed in to. */
  known: readonly string[]
  /** All addresses that the local hub has had; empty if there was never one. */
  own: readonly string[]
  /** Whether the command may start a hub. */
  mayBegin: boolean
}

export type WhichHub =
  | { is: 'at'; url: string }
  | { is: 'own' }
  | { is: 'several'; urls: readonly string[] }
  | { is: 'none' }

/** The hub that a command uses. The local hub is always `own`, because it may be down or have another address. */
export function whichHub({ said, running, near, known, own, mayBegin }: HubFacts): WhichHub {
  if (said !== null) return { is: 'at', url: said }
  if (running !== null) return own.includes(running) ? { is: 'own' } : { is: 'at', url: running }
  const named = (url: string): WhichHub => (own.includes(url) ? { is: 'own' } : { is: 'at', url })
  if (near !== null) return named(near)
  const others = [...new Set(known.filter((url) => !own.includes(url)))].sort()
  const current = own.at(-1)
  const all = current === undefined ? others : [...others, current]
  const [first] = all
  if (all.length > 1) return { is: 'several', urls: all }
  if (first !== undefined) return named(first)
  return mayBegin ? { is: 'own' } : { is: 'none' }
}
