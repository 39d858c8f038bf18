import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { agentSetups } from '@farhand/runner/bring/agent-setups'
import { type Home, placeOf } from './find-setup.ts'
import { type FoundServer, serversIn } from './server-settings.ts'
import { type ServerToBring, serverToBring } from './server-to-bring.ts'

/**
 * An MCP server in the settings of a local agent; `digest` changes with everything that would be brought, but not with
 * secret values.
 */
export type ServerHere = { name: string; agent: string; file: string; to: ServerToBring; digest: string }

/** The MCP servers of all agents on this machine, and the settings files that could not be parsed. */
export function findServers(here: Home): { servers: ServerHere[]; unread: string[] } {
  const unread: string[] = []
  const servers = Object.entries(agentSetups).flatMap(([agent, { servers: said }]) => {
    if (!said) return []
    const text = textAt(placeOf(said.file, here))
    if (text === null) return []
    let found: FoundServer[]
    try {
      found = serversIn(said.format, text)
    } catch {
      unread.push(said.file)
      return []
    }
    return found.map((one): ServerHere => {
      const to = serverToBring(one)
      const digest = hash('sha256', JSON.stringify('entry' in to ? to.entry : null), 'hex')
      return { name: one.name, agent, file: said.file, to, digest }
    })
  })
  return { servers, unread }
}

function textAt(place: string): string | null {
  try {
    return readFileSync(place, 'utf8')
  } catch {
    return null
  }
}
