import type { AgentEntry } from './agent-entry.ts'

const unitedLists = ['passes', 'hosts', 'programs', 'folders', 'readable', 'alsoCalled'] as const
const mergedRecords = ['env', 'sandboxEnv', 'files', 'unasked'] as const

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What a user writes down of an agent that we know, with what we know of it: settings are added one by one, and so are
 * names in lists; of two with the same name the user's counts. What is one thing as a whole, as its command line, is
 * theirs if they say it. What is not as it should be is left for whoever checks the entry.
 */
export function mergedEntry(known: AgentEntry, said: Readonly<Record<string, unknown>>): unknown {
  const merged: Record<string, unknown> = { ...known, ...said }
  for (const name of mergedRecords) {
    const own = said[name]
    if (isRecord(own)) merged[name] = { ...known[name], ...own }
  }
  for (const name of unitedLists) {
    const own = said[name]
    if (Array.isArray(own)) merged[name] = [...new Set([...known[name], ...own])]
  }
  const { mcpServers } = said
  if (Array.isArray(mcpServers)) {
    const names = new Set(mcpServers.map((server: unknown) => (isRecord(server) ? server.name : null)))
    merged.mcpServers = [...known.mcpServers.filter(({ name }) => !names.has(name)), ...mcpServers]
  }
  return merged
}
