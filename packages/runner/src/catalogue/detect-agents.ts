import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { AgentEntry } from './agent-entry.ts'
import { variablesWanted } from './mcp-servers.ts'

export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  /** The folder to which a command with a relative path refers. */
  cwd: string
  /** How this very command is started: a program and its first arguments. */
  self: readonly [string, ...string[]]
}

/**
 * Whether an agent can work here. `maybe`: only the agent knows whether the user is signed in. `missing`: groups of
 * variables, of which one each should be set.
 */
export type FoundAgent = {
  entry: AgentEntry
  is: 'usable' | 'maybe' | 'unset' | 'not-installed'
  /** The program and the arguments before the entry's own; null if it is not installed. */
  program: readonly [string, ...string[]] | null
  missing: readonly (readonly string[])[]
}

/** Looks for the agent's program and its variables. Values are never read, only whether there is one. */
export function detectAgent(listed: AgentEntry, surroundings: Surroundings): FoundAgent {
  const { env, self } = surroundings
  const entry = onThisSystem(listed, surroundings)
  const place = entry.command === 'farhand' ? null : placeOfFirst(entry, surroundings)
  const program = entry.command === 'farhand' ? self : place === null ? null : ([place] as const)
  const unset = entry.wants.filter((group) => !group.some((name) => env[name]))
  // Signing in to the agent does not sign in to its MCP servers.
  const ofServers = variablesWanted(entry.mcpServers).filter((name) => !env[name])
  const missing = [...unset, ...ofServers.map((name) => [name])]
  if (!program) return { entry, is: 'not-installed', program, missing }
  if (missing.length === 0) return { entry, is: 'usable', program, missing }
  return { entry, is: entry.signIn && ofServers.length === 0 ? 'maybe' : 'unset', program, missing }
}

/** The system as npm packages name it. */
const systemOf = ({ platform }: Surroundings) => `${platform}-${process.arch}`

function onThisSystem(entry: AgentEntry, surroundings: Surroundings): AgentEntry {
  const named = (text: string) => text.replaceAll('{system}', systemOf(surroundings))
  return {
    ...entry,
    alsoCalled: entry.alsoCalled.map(named),
    ...(entry.install !== undefined && { install: named(entry.install) }),
  }
}

function placeOfFirst({ command, alsoCalled }: AgentEntry, surroundings: Surroundings): string | null {
  for (const name of [command, ...alsoCalled]) {
    const place = placeOf(name, surroundings)
    if (place !== null) return place
  }
  return null
}

function placeOf(command: string, { env, platform, cwd }: Surroundings): string | null {
  const isWindows = platform === 'win32'
  const endings = isWindows ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  const isPath = command.includes('/') || (isWindows && command.includes('\\'))
  const folders = isPath ? [cwd] : (env.PATH ?? '').split(isWindows ? ';' : ':').filter(path.isAbsolute)
  for (const folder of folders)
    for (const ending of endings) {
      const place = path.resolve(folder, command + ending)
      if (isProgram(place)) return place
    }
  return null
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return statSync(place).isFile()
  } catch {
    // It does not exist, or we may not read it.
    return false
  }
}
