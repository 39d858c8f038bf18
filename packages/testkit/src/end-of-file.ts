let ends: (() => Promise<void>)[] = []

/**
 * Calls `act` at the end of the current test file. An `afterAll` in a module that several test files load in one process
 * would run only for the first of them.
 */
export function atEndOfFile(act: () => Promise<void>): void {
  ends.push(act)
}

/** Calls all of them, the last first. */
export async function endOfFile(): Promise<void> {
  const asked = ends.toReversed()
  ends = []
  for (const act of asked) await act()
}
