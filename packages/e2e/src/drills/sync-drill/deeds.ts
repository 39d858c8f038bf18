/** What is at a path, as mode and hash in one word; null for no file. */
export type Word = string | null

/**
 * Something a person did to a path. `saw` is exactly what it took away, which nobody else can have changed in between;
 * `adrift`: the sync engine had just replaced the file, so that this went into one that has no name any more.
 */
export type Deed = { path: string; saw: Word; left: Word; adrift: boolean }

export const hashIn = (word: string) => word.slice(word.indexOf(' ') + 1)

/**
 * Whether a path holds what the rule allows when both sides changed it (S2): what the laptop left there last, or what
 * the sandbox made of exactly that, knowing it. Null if nobody can tell.
 */
export function localWins(word: Word, onLaptop: readonly Deed[], onSandbox: readonly Deed[]): boolean | null {
  if (onLaptop.length === 0 || onLaptop.some(({ adrift }) => adrift)) return null
  const allowed = new Set<Word>([onLaptop.at(-1)!.left])
  for (let before = 0; before < allowed.size; ) {
    before = allowed.size
    for (const { saw, left } of onSandbox) if (allowed.has(saw)) allowed.add(left)
  }
  return allowed.has(word)
}

/** Versions that were put on a disk and that the same person did not take away again: nobody may have lost them (S4). */
export function versionsOwed(deeds: readonly Deed[]): { path: string; word: string }[] {
  const takenAway = new Map<string, Set<Word>>()
  for (const { path, saw } of deeds) {
    const words = takenAway.get(path) ?? new Set()
    takenAway.set(path, words.add(saw))
  }
  return deeds.flatMap(({ path, left }) =>
    left !== null && !takenAway.get(path)!.has(left) ? [{ path, word: left }] : [],
  )
}
