import { existsSync } from 'node:fs'
import path from 'node:path'
import { agentSetups, setupOf } from '@farhand/runner/bring/agent-setups'
import { type Home, placeOf } from '../bring/find-setup.ts'
import { Trouble } from '../trouble/trouble.ts'

/** A folder with skills, and the agents for which a skill is put there. */
export type SkillPlace = {
  folder: string
  agents: readonly string[]
  /** The project that it must be in, symlinks resolved; null: it is in the home. */
  project: string | null
}

const shared = '.agents/skills'
/** Stands for every agent that reads the shared folder. */
const sharedName = 'agents'

/** The agents whose folder of skills is known, and the word for all that share one. */
export const skillReaders: readonly string[] = [sharedName, ...Object.keys(agentSetups)]

// In a project, from the same documentation as `agent-setups.ts`; all other agents read the shared folder there.
const inProject: Readonly<Record<string, string>> = {
  claude: '.claude/skills',
  copilot: '.claude/skills',
  gemini: '.gemini/skills',
  qwen: '.qwen/skills',
}

/** The folder of skills that an agent reads in the home: the shared one if it reads that. */
function inHome(agent: string): string {
  if (agent === sharedName) return shared
  const { skills } = setupOf(agent)
  return skills.includes(shared) ? shared : (skills[0] ?? shared)
}

/**
 * Where a skill is put for these agents, in the home or in a project. Without agents it is the shared folder, and those of the agents that are
 * set up here and do not read it.
 */
export function skillPlaces(
  named: readonly string[],
  here: Home,
  project: string | null,
): readonly SkillPlace[] {
  const unknown = named.find((one) => !skillReaders.includes(one))
  if (unknown !== undefined)
    throw new Trouble('usage', `Unknown agent: ${unknown}.`, `Known are ${skillReaders.join(', ')}.`)
  const folderOf = (agent: string) =>
    project === null
      ? placeOf(inHome(agent), here)
      : path.join(project, ...(inProject[agent] ?? shared).split('/'))
  const agents = named.length > 0 ? named : [sharedName, ...usual(here, project)]
  const places = new Map<string, string[]>()
  for (const agent of agents) {
    const folder = folderOf(agent)
    const known = places.get(folder)
    if (known) known.push(agent)
    else places.set(folder, [agent])
  }
  return [...places].map(([folder, agents]) => ({ folder, agents, project }))
}

function usual(here: Home, project: string | null): string[] {
  if (project !== null) return ['claude']
  const isSetUp = (agent: string) => existsSync(path.dirname(placeOf(inHome(agent), here)))
  return Object.keys(agentSetups).filter((agent) => inHome(agent) !== shared && isSetUp(agent))
}
