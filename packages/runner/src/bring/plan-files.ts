import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Files that are to be somewhere, by their places: what they hold, and whether they can be run. */
export type WantedFile = { place: string; hash: BlobHash; mode: string }

export type Known = {
  wanted: readonly WantedFile[]
  /** What was put where before, in this very sandbox. */
  before: ReadonlyMap<string, BlobHash>
  /** What lies at a place now; null if nothing does, `other` if it is no file. */
  there: (place: string) => BlobHash | 'other' | null
  /** Whether somebody has brought this at some time. */
  isBrought: (hash: BlobHash) => boolean
}

export type FilePlan = {
  put: WantedFile[]
  /** In its place since an earlier time. */
  same: WantedFile[]
  /** Not put: the agent has something else there, or has removed what was put. */
  kept: string[]
  /** To be removed: brought before, and not any more. */
  gone: string[]
}

/**
 * What is to be done so that an agent finds what was brought. What the agent itself has written or removed stays as it made it, also
 * if that came back with its memory.
 */
export function planFiles({ wanted, before, there, isBrought }: Known): FilePlan {
  const putting: FilePlan = { put: [], same: [], kept: [], gone: [] }
  const isOurs = (place: string, found: BlobHash) => before.get(place) === found || isBrought(found)
  for (const file of wanted) {
    const found = there(file.place)
    if (found === file.hash) putting.same.push(file)
    else if (found === null && !before.has(file.place)) putting.put.push(file)
    else if (found !== null && found !== 'other' && isOurs(file.place, found)) putting.put.push(file)
    else putting.kept.push(file.place)
  }
  const places = new Set(wanted.map(({ place }) => place))
  for (const [place, hash] of before)
    if (!places.has(place) && there(place) === hash) putting.gone.push(place)
  return putting
}
