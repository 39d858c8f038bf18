export type HubFacts = {
  /** What the command line or the environment names. */
  said: string | null
  /** The hub that runs on the data of this place. */
  running: string | null
  /** The hub of the folder or the run that this is about. */
  near: string | null
  /** The hubs of all folders and runs of this machine, and those that somebody has signed in to. */
  known: readonly string[]
  /** Every address that the user's own hub has had; none if there has never been one. */
  own: readonly string[]
  /** Whether a hub may be begun for this, and not only found. */
  mayBegin: boolean
}

export type WhichHub =
  | { is: 'at'; url: string }
  | { is: 'own' }
  | { is: 'several'; urls: readonly string[] }
  | { is: 'none' }

/** Which hub a command talks to. The user's own one is always called `own`: it may be down, or have moved. */
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
