import { isObject } from '@farhand/protocol/wire/is-object'
import type { AgentEntry } from './agent-entry.ts'

const unitedLists = ['passes', 'hosts', 'programs', 'folders', 'readable', 'alsoCalled'] as const
const mergedRecords = ['env', 'sandboxEnv', 'files', 'unasked'] as const

/**
 * A user's entry for a known agent, merged with ours: settings and lists are combined, and the user's value wins for
 * the same name. Single values, such as the command line, are the user's if given. Invalid values are left for the
 * validation of the entry.
 */
export function mergedEntry(known: AgentEntry, said: Readonly<Record<string, unknown>>): unknown {
  const merged: Record<string, unknown> = { ...known, ...said }
  for (const name of mergedRecords) {
    const own = said[name]
    if (isObject(own)) merged[name] = { ...known[name], ...own }
  }
  for (const name of unitedLists) {
    const own = said[name]
    if (Array.isArray(own)) merged[name] = [...new Set([...known[name], ...own])]
  }
  const { mcpServers } = said
  if (Array.isArray(mcpServers)) {
    const names = new Set(mcpServers.map((server: unknown) => (isObject(server) ? server.name : null)))
    merged.mcpServers = [...known.mcpServers.filter(({ name }) => !names.has(name)), ...mcpServers]
  }
  return merged
}
