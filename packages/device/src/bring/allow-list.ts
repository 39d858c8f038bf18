import { z } from 'zod'

/** What a person chose to bring, and what each was when they looked at it. */
export type AllowList = {
  /** Items by their path below the home, with the digest of what they held. */
  items: ReadonlyMap<string, string>
  /** Servers of tools by name: in which agent's settings, and the digest of what was said there. */
  servers: ReadonlyMap<string, { agent: string; digest: string }>
}

export const nothingAllowed: AllowList = { items: new Map(), servers: new Map() }

const KeptList = z.object({
  items: z.record(z.string(), z.string()).default({}),
  servers: z.record(z.string(), z.object({ agent: z.string(), digest: z.string() })).default({}),
})

/** The list as it is kept. */
export const writtenList = ({ items, servers }: AllowList): string =>
  `${JSON.stringify({ items: Object.fromEntries(items), servers: Object.fromEntries(servers) }, null, 2)}\n`

/** The list from what was kept; null if that is none: then nothing must be brought. */
export function readList(text: string): AllowList | null {
  try {
    const { items, servers } = KeptList.parse(JSON.parse(text))
    return { items: new Map(Object.entries(items)), servers: new Map(Object.entries(servers)) }
  } catch {
    return null
  }
}

/** The list with this item, as it was looked at. */
export const withItem = (list: AllowList, path: string, digest: string): AllowList => ({
  ...list,
  items: new Map([...list.items, [path, digest]]),
})

/** The list with this server, as it was looked at. */
export const withServer = (list: AllowList, name: string, agent: string, digest: string): AllowList => ({
  ...list,
  servers: new Map([...list.servers, [name, { agent, digest }]]),
})

/** The list without these. */
export const without = (list: AllowList, paths: readonly string[], names: readonly string[]): AllowList => ({
  items: new Map([...list.items].filter(([path]) => !paths.includes(path))),
  servers: new Map([...list.servers].filter(([name]) => !names.includes(name))),
})
