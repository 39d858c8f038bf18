import { z } from 'zod'

/** What the user chose to bring, with the digest of each item at that time. */
export type AllowList = {
  /** Digests of files, by path below the home. */
  items: ReadonlyMap<string, string>
  /** MCP servers by name: the agent whose settings have it, and its digest. */
  servers: ReadonlyMap<string, { agent: string; digest: string }>
}

export const nothingAllowed: AllowList = { items: new Map(), servers: new Map() }

const KeptList = z.object({
  items: z.record(z.string(), z.string()).default({}),
  servers: z.record(z.string(), z.object({ agent: z.string(), digest: z.string() })).default({}),
})

/** The list as file text. */
export const printAllowList = ({ items, servers }: AllowList): string =>
  `${JSON.stringify({ items: Object.fromEntries(items), servers: Object.fromEntries(servers) }, null, 2)}\n`

/** The list from file text; null if it is invalid: then nothing may be brought. */
export function parseAllowList(text: string): AllowList | null {
  try {
    const { items, servers } = KeptList.parse(JSON.parse(text))
    return { items: new Map(Object.entries(items)), servers: new Map(Object.entries(servers)) }
  } catch {
    return null
  }
}

export const withItem = (list: AllowList, path: string, digest: string): AllowList => ({
  ...list,
  items: new Map([...list.items, [path, digest]]),
})

export const withServer = (list: AllowList, name: string, agent: string, digest: string): AllowList => ({
  ...list,
  servers: new Map([...list.servers, [name, { agent, digest }]]),
})

export const without = (list: AllowList, paths: readonly string[], names: readonly string[]): AllowList => ({
  items: new Map([...list.items].filter(([path]) => !paths.includes(path))),
  servers: new Map([...list.servers].filter(([name]) => !names.includes(name))),
})
