/** Something that could be brought, by all that people call it. */
export type Bringable = {
  is: 'instructions' | 'skill' | 'command' | 'server'
  /** A path below the home, or the name of a server. */
  name: string
  /** For a server: in whose settings it is. */
  agent: string | null
  /** Where it is on this disk; null for a server, and for what is gone. */
  place: string | null
}

export type Named<Some extends Bringable> = { found: Some } | { many: Some[] } | { none: true }

/**
 * The item that is meant by what somebody typed: a path, as it is or from the home, else the name of a skill, a command or a
 * server. `asPath` is what they typed as a path of this disk.
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

/** `.claude/commands/fix.md` is called `fix.md`, and `fix`. */
function isCalled(path: string, said: string): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === said || last.replace(/\.[a-z]+$/, '') === said
}

/** What to type so that this one and no other is meant. */
export const fullName = ({ is, name, agent }: Bringable) =>
  is === 'server' ? `${agent}:${name}` : `~/${name}`
