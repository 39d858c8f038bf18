import { agentSetups, forAllAgents, setupOf } from './agent-setups.ts'

/** Folders of the home that a variable moves: what was below the one is then below the other, in `as`. */
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

/**
 * The folder below which a path of the home really lies, and where below it, for a program with this environment: no place
 * is outside of that folder.
 */
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

/** Whether some agent that we know reads a file of the home here: nothing else is brought, whoever says so. */
export const isRead = (at: string) =>
  files.has(at) || [...skillFolders, ...all.flatMap(({ own }) => own)].some((folder) => isBelow(folder, at))

/**
 * Where in its home this agent looks for a file that was brought; null if it would not read it. `brought` are the paths of all
 * that was: what is meant for every agent gives way to what is meant for this one.
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
  // Of two others with one skill of that name the first counts.
  const before = skillFolders.slice(0, skillFolders.indexOf(folder))
  const isSecond = [...brought].some((other) => before.some((one) => isBelow(`${one}/${skill}`, other)))
  return hasOwn || isSecond ? null : target
}
