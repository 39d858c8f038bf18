import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { pathForAgent, placeInHome } from '@farhand/runner/bring/agent-home-paths'
import { agentSetups, forAllAgents } from '@farhand/runner/bring/agent-setups'

/** The user's home, and the environment of their agents. */
export type Home = { home: string; env: Readonly<Record<string, string | undefined>> }

/** A file of the user's that agents read, or a folder that is useful only as a whole. */
export type SetupItem = {
  kind: 'instructions' | 'skill' | 'command'
  /** Its path below the home, as in the agents' documentation. */
  path: string
  /** The agents that read it. */
  agents: readonly string[]
}

/** The absolute path of a path below the home. */
export function placeOf(at: string, { home, env }: Home): string {
  const { folder, below } = placeInHome(at, env, home)
  return path.join(folder, below)
}

/** All setup items of known agents on this machine; their contents are not read. */
export function findSetup(here: Home): SetupItem[] {
  const setups = Object.values(agentSetups)
  const instructions = unique([...forAllAgents.instructions, ...setups.map((setup) => setup.instructions)])
  const skills = unique([...forAllAgents.skills, ...setups.flatMap((setup) => setup.skills)])
  const own = unique(setups.flatMap((setup) => setup.own))
  const entries = (folder: string) => namesIn(placeOf(folder, here)).map((name) => `${folder}/${name}`)
  return [
    ...instructions.filter((at) => kindOf(placeOf(at, here)) === 'file').map(item('instructions')),
    ...skills
      .flatMap(entries)
      .filter((at) => kindOf(placeOf(at, here)) === 'folder')
      .map(item('skill')),
    ...own
      .flatMap(entries)
      .filter((at) => kindOf(placeOf(at, here)) !== null)
      .map(item('command')),
  ]
}

const item =
  (kind: SetupItem['kind']) =>
  (at: string): SetupItem => ({ kind, path: at, agents: readersOf(kind === 'instructions' ? at : `${at}/-`) })

const readersOf = (file: string) =>
  [...Object.keys(agentSetups), 'builtin'].filter((id) => pathForAgent(id, file, new Set([file])) !== null)

const unique = (paths: readonly string[]) => [...new Set(paths)]

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch {
    // The folder does not exist, or cannot be read.
    return []
  }
}

function kindOf(place: string): 'file' | 'folder' | null {
  const there = statSync(place, { throwIfNoEntry: false })
  return there?.isFile() ? 'file' : there?.isDirectory() ? 'folder' : null
}
