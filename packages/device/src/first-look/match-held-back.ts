/**
 * Sorts the paths that the user named: held back themselves, folders with held-back files in them, or not held back at
 * all.
 */
export function matchHeldBack(named: readonly string[], held: readonly string[]) {
  const exactly: string[] = []
  const inFolders: string[] = []
  const unknown: string[] = []
  for (const name of named) {
    const below = held.filter((one) => one.startsWith(`${name}/`))
    if (held.includes(name)) exactly.push(name)
    else if (below.length > 0) inFolders.push(...below)
    else unknown.push(name)
  }
  return { exactly, inFolders, unknown }
}
