/** The format in which an agent's settings name its MCP servers. */
export type ServersFormat = 'mcpServers' | 'opencode' | 'codex'

/** Where an agent looks for its user's setup for all projects. All paths are below the home. */
export type AgentSetup = {
  /** The file with general instructions. */
  instructions: string
  /** Instruction files of other agents that it reads, too. */
  alsoReads?: readonly string[]
  /** Folders with one folder per skill; a brought skill from elsewhere goes into the first. */
  skills: readonly string[]
  /** Folders with commands, prompts and sub-agents in the agent's own format. */
  own: readonly string[]
  /** Its settings file with MCP servers; it is read here and never sent. */
  servers?: { file: string; format: ServersFormat }
}

/** Instructions and skills that are meant for every agent. */
export const forAllAgents = {
  instructions: ['.agents/AGENTS.md', '.config/AGENTS.md', '.config/agents/AGENTS.md'],
  skills: ['.agents/skills', '.config/agents/skills'],
} as const

const below = (folder: string, ...names: string[]) => names.map((name) => `${folder}/${name}`)

/**
 * What is known about the agents of the catalogue, from their documentation as of November 2026. Settings files never
 * travel: they name programs, hooks and keys of the machine they were made for.
 */
export const agentSetups: Readonly<Record<string, AgentSetup>> = {
  // code.claude.com/docs: memory, skills, slash commands, sub-agents, output styles, MCP (user scope)
  claude: {
    instructions: '.claude/CLAUDE.md',
    skills: ['.claude/skills'],
    own: below('.claude', 'commands', 'agents', 'rules', 'output-styles'),
    servers: { file: '.claude.json', format: 'mcpServers' },
  },
  // developers.openai.com/codex: AGENTS.md, custom prompts, skills, MCP
  codex: {
    instructions: '.codex/AGENTS.md',
    skills: ['.codex/skills', '.agents/skills'],
    own: ['.codex/prompts'],
    servers: { file: '.codex/config.toml', format: 'codex' },
  },
  // geminicli.com/docs: GEMINI.md, custom commands, skills, MCP servers
  gemini: {
    instructions: '.gemini/GEMINI.md',
    skills: ['.gemini/skills'],
    own: below('.gemini', 'commands', 'agents'),
    servers: { file: '.gemini/settings.json', format: 'mcpServers' },
  },
  // docs.github.com/copilot, "Customize Copilot CLI": instructions, skills, custom agents, MCP servers
  copilot: {
    instructions: '.copilot/copilot-instructions.md',
    skills: ['.copilot/skills', '.claude/skills'],
    own: ['.copilot/agents'],
    servers: { file: '.copilot/mcp-config.json', format: 'mcpServers' },
  },
  // opencode.ai/docs: rules, skills, commands, agents, MCP servers
  opencode: {
    instructions: '.config/opencode/AGENTS.md',
    alsoReads: ['.claude/CLAUDE.md'],
    skills: ['.config/opencode/skills', '.config/opencode/skill', '.claude/skills', '.agents/skills'],
    own: below('.config/opencode', 'command', 'commands', 'agent', 'agents'),
    servers: { file: '.config/opencode/opencode.json', format: 'opencode' },
  },
  // block.github.io/goose: hints, skills. Its settings are YAML, and are not read.
  goose: {
    instructions: '.config/goose/.goosehints',
    skills: ['.config/goose/skills', '.claude/skills', '.config/agents/skills', '.agents/skills'],
    own: ['.config/goose/recipes'],
  },
  // qwenlm.github.io/qwen-code-docs: memory, skills, commands, sub-agents, MCP
  qwen: {
    instructions: '.qwen/QWEN.md',
    skills: ['.qwen/skills'],
    own: below('.qwen', 'commands', 'agents'),
    servers: { file: '.qwen/settings.json', format: 'mcpServers' },
  },
  // moonshotai.github.io/kimi-code: AGENTS.md, skills
  kimi: { instructions: '.kimi-code/AGENTS.md', skills: ['.kimi-code/skills', '.agents/skills'], own: [] },
  // Its own documentation, in its package: AGENTS.md, skills, prompt templates. Extensions are programs, and stay.
  pi: {
    instructions: '.pi/agent/AGENTS.md',
    skills: ['.pi/agent/skills', '.agents/skills'],
    own: ['.pi/agent/prompts'],
  },
}

/** For an unknown agent: what is meant for all agents. */
const anyAgent: AgentSetup = { instructions: '.agents/AGENTS.md', skills: ['.agents/skills'], own: [] }

export const setupOf = (agent: string): AgentSetup =>
  Object.hasOwn(agentSetups, agent) ? agentSetups[agent]! : anyAgent
