import { agentSetups, forAllAgents, setupOf } from './agent-setups.ts'

/** Folders of the home that a variable moves: what was below `folder` is then below the variable's value, in `as`. */
const moved = [
  { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', as: '' },
  { folder: '.claude.json', variable: 'CLAUDE_CONFIG_DIR', as: '.claude.json' },
  { folder: '.codex', variable: 'CODEX_HOME', as: '' },
  { folder: '.copilot', variable: 'COPILOT_HOME', as: '' },
  { folder: '.gemini', variable: 'GEMINI_CLI_HOME', as: '.gemini' },
  { folder: '.kimi-code', variable: 'KIMI_CODE_HOME', as: '' },
  { folder: '.pi/agent', variable: 'PI_CODING_AGENT_DIR', as: '' },
  { folder: '.config/goose', variable: 'GOOSE_PATH_ROOT', as: 'config' },
  { folder: '.config', variable: 'XDG_CONFIG_HOME', as: '' },
] as const

type Environment = Readonly<Record<string, string | undefined>>

const isAbsolute = (said: string) => /^(?:\/|[a-z]:[\\/])/i.test(said)
const isBelow = (folder: string, at: string) => at.startsWith(`${folder}/`)

/** Where a path of the home really is for a program with this environment: the folder, and the path below it. */
export function placeInHome(at: string, env: Environment, home: string): { folder: string; below: string } {
  for (const { folder, variable, as } of moved) {
    const said = env[variable]
    if (!said || !isAbsolute(said) || !(at === folder || isBelow(folder, at))) continue
    return { folder: said, below: [as, at.slice(folder.length + 1)].filter((part) => part !== '').join('/') }
  }
  return { folder: home, below: at }
}

const all = Object.values(agentSetups)
const skillFolders = [...new Set([...forAllAgents.skills, ...all.flatMap(({ skills }) => skills)])]
const files = new Set<string>([
  ...forAllAgents.instructions,
  ...all.flatMap(({ instructions }) => instructions),
])

/** Whether any known agent reads this file of the home: no other file is brought. */
export const isRead = (at: string) =>
  files.has(at) || [...skillFolders, ...all.flatMap(({ own }) => own)].some((folder) => isBelow(folder, at))

/**
 * The path in its home where this agent reads a brought file; null if it would not read it. `brought`: all brought
 * paths, as a file for this agent wins over a file for all agents.
 */
export function pathForAgent(agent: string, at: string, brought: ReadonlySet<string>): string | null {
  const { instructions, alsoReads = [], skills, own } = setupOf(agent)
  if (at === instructions || alsoReads.includes(at)) return at
  const general = forAllAgents.instructions.filter((one) => brought.has(one))
  if (at === general[0]) return brought.has(instructions) ? null : instructions
  if (own.some((folder) => isBelow(folder, at))) return at
  const folder = skillFolders.find((one) => isBelow(one, at))
  if (folder === undefined) return null
  if (skills.includes(folder)) return at
  const target = `${skills[0]}${at.slice(folder.length)}`
  const skill = at.slice(folder.length + 1).split('/', 1)[0]
  const hasOwn = [...brought].some((other) => skills.some((one) => isBelow(`${one}/${skill}`, other)))
  // Of two skills with this name from other agents, the first counts.
  const before = skillFolders.slice(0, skillFolders.indexOf(folder))
  const isSecond = [...brought].some((other) => before.some((one) => isBelow(`${one}/${skill}`, other)))
  return hasOwn || isSecond ? null : target
}
