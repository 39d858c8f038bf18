/** In which of these formats an agent's settings name its MCP servers. */
export type ServersFormat = 'mcpServers' | 'opencode' | 'codex'

/** Where an agent looks for what its user has set up for all projects. All paths are below the home. */
export type AgentSetup = {
  /** What it is always told. */
  instructions: string
  /** Files of others that it is told, too. */
  alsoReads?: readonly string[]
  /** Folders with a folder for each skill; the first is where one goes that lies where it does not look. */
  skills: readonly string[]
  /** Folders with commands, prompts and agents of the user's, in a format of its own. */
  own: readonly string[]
  /** Its settings with servers of tools. These files are read here and never sent. */
  servers?: { file: string; format: ServersFormat }
}

/** Instructions and skills that are meant for every agent. */
export const forAllAgents = {
  instructions: ['.agents/AGENTS.md', '.config/AGENTS.md', '.config/agents/AGENTS.md'],
  skills: ['.agents/skills', '.config/agents/skills'],
} as const

const below = (folder: string, ...names: string[]) => names.map((name) => `${folder}/${name}`)

/**
 * What is known of the agents of the catalogue, from their documentation as of November 2026. Settings travel for none of them: they
 * name programs, hooks and keys of the machine that they were made for.
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
  kimi: {
    instructions: '.kimi-code/AGENTS.md',
    skills: ['.kimi-code/skills', '.agents/skills'],
    own: [],
  },
  // Its own documentation, in its package: AGENTS.md, skills, prompt templates. Extensions are programs, and stay.
  pi: {
    instructions: '.pi/agent/AGENTS.md',
    skills: ['.pi/agent/skills', '.agents/skills'],
    own: ['.pi/agent/prompts'],
  },
}

/** Of an agent that nobody knows more of: what is meant for all. */
const anyAgent: AgentSetup = { instructions: '.agents/AGENTS.md', skills: ['.agents/skills'], own: [] }

/** Where this agent looks. */
export const setupOf = (agent: string): AgentSetup =>
  Object.hasOwn(agentSetups, agent) ? agentSetups[agent]! : anyAgent
