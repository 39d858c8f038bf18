import type { KnownFolder } from './known-files.ts'
import { inNfc } from './root-folder.ts'

/** The names of what was in a folder, as far as anyone knew, and is not among those that it lists now. */
export function namesMissing(
  listed: readonly string[],
  watched: Iterable<string>,
  known: KnownFolder | undefined,
): string[] {
  const expected = [...watched, ...(known?.files.keys() ?? []), ...(known?.folders.keys() ?? [])]
  if (expected.length === 0) return expected
  const found = new Set(listed.map(inNfc))
  return expected.filter((name) => !found.has(name))
}
