/** An instructions file, skill, command or MCP server that the user can bring to sandboxes. */
export type Bringable = {
  is: 'instructions' | 'skill' | 'command' | 'server'
  name: string
  /** The agent in whose settings the server is; null for a file. */
  agent: string | null
  /** Its path on this disk; null for a server, and for a file that no longer exists. */
  place: string | null
}

export type Named<Some extends Bringable> = { found: Some } | { many: Some[] } | { none: true }

/**
 * Finds the item that the user means: by its path (absolute, or from the home), else by the name of a skill, a command
 * or a server. `asPath` is the typed text as a path of this disk.
 */
export function findBringable<Some extends Bringable>(
  said: string,
  asPath: string,
  items: readonly Some[],
): Named<Some> {
  const home = said.replace(/^~\//, '')
  const byPath = items.filter(({ is, place, name }) => is !== 'server' && (place === asPath || name === home))
  const byName = items.filter(({ is, name }) => (is === 'server' ? name === said : isCalled(name, said)))
  const [ofServer, server] = /^([\w-]+):(.+)$/.exec(said)?.slice(1) ?? []
  const byBoth = items.filter(
    ({ is, name, agent }) => is === 'server' && agent === ofServer && name === server,
  )
  const found = [byPath, byBoth, byName].find((some) => some.length > 0) ?? []
  if (found.length > 1) return { many: found }
  return found[0] ? { found: found[0] } : { none: true }
}

/** For example `.claude/commands/fix.md` can be called `fix.md` or `fix`. */
function isCalled(path: string, said: string): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === said || last.replace(/\.[a-z]+$/, '') === said
}

/** The unambiguous name of an item. */
export const fullName = ({ is, name, agent }: Bringable) =>
  is === 'server' ? `${agent}:${name}` : `~/${name}`
