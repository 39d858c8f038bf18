import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** A file to install: its path, content, and mode. */
export type WantedFile = { place: string; hash: BlobHash; mode: string }

export type Known = {
  wanted: readonly WantedFile[]
  /** What was installed before, in this sandbox. */
  before: ReadonlyMap<string, BlobHash>
  /** The file at a path now; null if there is none, `other` if it is not a regular file. */
  there: (place: string) => BlobHash | 'other' | null
  /** Whether this content was ever brought. */
  isBrought: (hash: BlobHash) => boolean
}

export type FilePlan = {
  put: WantedFile[]
  /** Already installed. */
  same: WantedFile[]
  /** Not installed: the agent has another file there, or has removed the installed one. */
  kept: string[]
  /** To be removed: brought before, and no longer. */
  gone: string[]
}

/**
 * Which brought files to install and remove. What the agent itself has written or removed stays, also if it came back
 * with its memory.
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
