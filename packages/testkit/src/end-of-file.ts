let ends: (() => Promise<void>)[] = []

/**
 * Has something done when the test file that is under way is over, wherever it was asked for. An `afterAll` in a module that
 * several files load in one process is heard for the first of them only.
 */
export function atEndOfFile(act: () => Promise<void>): void {
  ends.push(act)
}

/** Does what was asked for, the last first. */
export async function endOfFile(): Promise<void> {
  const asked = ends.toReversed()
  ends = []
  for (const act of asked) await act()
}
