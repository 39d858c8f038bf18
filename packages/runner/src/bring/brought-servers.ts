import type { McpServer } from '@agentclientprotocol/sdk'
import { McpServerEntry, mcpServersOf, variablesWanted } from '../catalogue/mcp-servers.ts'

export type ServerCircumstances = {
  /** Whether the agent supports MCP servers. */
  takesAny: boolean
  /** The agent's own servers, whose names are taken. */
  taken: readonly { name: string }[]
  env: Readonly<Record<string, string | undefined>>
  hasProgram: (command: string) => boolean
}

/** The user's servers as the agent gets them, and why others are left out. */
export function broughtServers(
  said: readonly unknown[],
  { takesAny, taken, env, hasProgram }: ServerCircumstances,
): { servers: McpServer[]; left: string[] } {
  const names = new Set(taken.map(({ name }) => name))
  const servers: McpServer[] = []
  const left: string[] = []
  for (const one of said) {
    const { data: entry } = McpServerEntry.safeParse(one)
    const name = (one as { name: string }).name
    const why = entry === undefined ? 'the entry is invalid' : whyNot(entry)
    if (why !== null) left.push(`the MCP server ${name}: ${why}`)
    else servers.push(...mcpServersOf([entry!], env))
    names.add(name)
  }
  return { servers, left }

  function whyNot(entry: McpServerEntry): string | null {
    if (!takesAny) return 'this agent does not support MCP servers'
    if (names.has(entry.name)) return 'there is one of that name already'
    const missing = variablesWanted([entry]).filter((variable) => !env[variable])
    if (missing.length > 0) return `the run has no secret ${missing.join(' and ')}`
    if (entry.type === 'stdio' && !hasProgram(entry.command)) return `program not found: ${entry.command}`
    return null
  }
}
