/** The file at a path, as mode and hash in one word; null for no file. */
export type Word = string | null

/**
 * A change that a person made to a path. `saw` is exactly the version that it replaced: no other program can have changed the
 * file in between. `adrift`: the sync engine had just replaced the file, so that the change went into a file without a name.
 */
export type UserChange = { path: string; saw: Word; left: Word; adrift: boolean }

export const hashIn = (word: string) => word.slice(word.indexOf(' ') + 1)

/**
 * Whether a path holds what the rule allows when both sides changed it (S2): the laptop's last version, or a version that the
 * sandbox made from exactly that one. Null if the drill cannot know.
 */
export function localWins(
  word: Word,
  onLaptop: readonly UserChange[],
  onSandbox: readonly UserChange[],
): boolean | null {
  if (onLaptop.length === 0 || onLaptop.some(({ adrift }) => adrift)) return null
  const allowed = new Set<Word>([onLaptop.at(-1)!.left])
  for (let before = 0; before < allowed.size; ) {
    before = allowed.size
    for (const { saw, left } of onSandbox) if (allowed.has(saw)) allowed.add(left)
  }
  return allowed.has(word)
}

/** Versions that a person wrote and did not replace again: they must not be lost (S4). */
export function versionsOwed(changes: readonly UserChange[]): { path: string; word: string }[] {
  const takenAway = new Map<string, Set<Word>>()
  for (const { path, saw } of changes) {
    const words = takenAway.get(path) ?? new Set()
    takenAway.set(path, words.add(saw))
  }
  return changes.flatMap(({ path, left }) =>
    left !== null && !takenAway.get(path)!.has(left) ? [{ path, word: left }] : [],
  )
}
