import { MemoryTerms } from '@farhand/protocol/memory-terms'
import { AllowedHost } from '@farhand/protocol/sandbox-terms'
import { z } from 'zod'
import { McpServerEntry } from './mcp-servers.ts'

/** An agent that can be hosted: how it starts, how one sees that it is there, what it wants, by name only. */
export const AgentEntry = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/, 'expected small letters, digits and dashes'),
    name: z.string().min(1).max(100),
    /** A program on the PATH, or the place of one; `farhand` is this very command, wherever it lies. */
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    /**
     * Settings it is given; of those that are passed on too, what the user has set is what counts. In them `{state}` is
     * a folder that it has to itself in each run.
     */
    env: z.record(z.string(), z.string()).default({}),
    /**
     * Settings that it is given in a sandbox, where there is no home of a person: with them it keeps all that it keeps
     * below `{state}`.
     */
    sandboxEnv: z.record(z.string(), z.string()).default({ HOME: '{state}' }),
    /** What of that travels with the run, so that it remembers in the next sandbox. */
    memory: MemoryTerms.prefault({}),
    /** Names of variables that are passed on if they are set. */
    passes: z.array(z.string()).default([]),
    /** Groups of variables: one of each group has to be set, unless the agent is signed in by itself. */
    wants: z.array(z.array(z.string()).min(1)).default([]),
    /** Where its model is: a sandbox with a list of hosts reaches these, too. */
    hosts: z.array(AllowedHost).default([]),
    /** What to run in order to have it. */
    install: z.string().optional(),
    /** How to sign in without a variable. */
    signIn: z.string().optional(),
    /** Servers of tools that it is given in every session. */
    mcpServers: z
      .array(McpServerEntry)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two have the same name')
      .default([]),
  })
  .refine(({ command, mcpServers }) => command !== 'farhand' || mcpServers.length === 0, {
    path: ['mcpServers'],
    message: 'our own agents use no such servers; others do',
  })
export type AgentEntry = z.infer<typeof AgentEntry>

const entry = (said: z.input<typeof AgentEntry>): AgentEntry => AgentEntry.parse(said)

/** Of one that we know: these files, and it does not mind where the workspace is. */
const travelling = (...files: string[]) => ({ files, never: [], anywhere: true })
/** The same, if the workspace is where it was. */
const inPlace = (...files: string[]) => ({ files, never: [] })
/** With what was written since it was last tidied up. */
const database = (file: string) => [file, `${file}-wal`]

const inBothCases = (name: string) => [name, name.toLowerCase()]
const proxies = [...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap(inBothCases), 'NODE_EXTRA_CA_CERTS']

/** The agents we know. What a user adds under the same id takes their place. */
export const knownAgents: readonly AgentEntry[] = [
  entry({
    id: 'builtin',
    name: 'The built-in agent',
    command: 'farhand',
    args: ['agent', 'builtin'],
    env: { FARHAND_AGENT_HOME: '{state}' },
    sandboxEnv: {},
    memory: travelling('sessions/**'),
    passes: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_BASE_URL',
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'FARHAND_MODEL',
      'FARHAND_MODEL_URL',
      'FARHAND_MODEL_KEY',
      'FARHAND_MODEL_WINDOW',
      'FARHAND_AGENT_STEPS',
      ...proxies,
    ],
    hosts: ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
    wants: [['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'FARHAND_MODEL_URL']],
  }),
  entry({
    id: 'rehearsal',
    name: 'Rehearsal, which needs no model and does what its prompt says',
    command: 'farhand',
    args: ['agent', 'rehearsal'],
    env: { REHEARSAL_HOME: '{state}' },
    sandboxEnv: {},
    memory: travelling('*.jsonl'),
  }),
  entry({
    id: 'claude',
    name: 'Claude Code',
    command: 'claude-agent-acp',
    sandboxEnv: { CLAUDE_CONFIG_DIR: '{state}/.claude' },
    memory: travelling(...['projects', 'todos', 'plans', 'file-history'].map((name) => `.claude/${name}/**`)),
    passes: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CONFIG_DIR',
      ...proxies,
    ],
    hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
    wants: [['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']],
    install: 'npm install --global @agentclientprotocol/claude-agent-acp',
    signIn: '`claude` and then /login',
  }),
  entry({
    id: 'codex',
    name: 'Codex',
    command: 'codex-acp',
    env: {
      // By itself it lets a model decide what a person would be asked. Files of the workspace it may write unasked.
      INITIAL_AGENT_MODE: 'workspace-write',
      // It looks at a key in its environment only when told to. Like `codex login`, it then keeps it in its home.
      DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}',
      // Else its model may ask people only while it plans.
      CODEX_CONFIG: '{"features":{"default_mode_request_user_input":true}}',
    },
    sandboxEnv: { CODEX_HOME: '{state}/.codex' },
    memory: travelling(
      '.codex/sessions/**',
      '.codex/session_index.jsonl',
      ...database('.codex/goals_*.sqlite'),
      ...database('.codex/memories_*.sqlite'),
    ),
    passes: [
      'OPENAI_API_KEY',
      'CODEX_API_KEY',
      'CODEX_HOME',
      'CODEX_CONFIG',
      'INITIAL_AGENT_MODE',
      'DEFAULT_AUTH_REQUEST',
      ...proxies,
    ],
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    wants: [['OPENAI_API_KEY', 'CODEX_API_KEY']],
    install: 'npm install --global @agentclientprotocol/codex-acp',
    signIn: '`codex login`',
  }),
  entry({
    id: 'gemini',
    name: 'Gemini CLI',
    command: 'gemini',
    args: ['--acp'],
    // Else it starts itself a second time, with more memory: one more process to wait for and to end.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    sandboxEnv: { GEMINI_CLI_HOME: '{state}' },
    memory: travelling('.gemini/projects.json', '.gemini/**/.project_root', '.gemini/tmp/*/chats/**'),
    passes: [
      'GEMINI_API_KEY',
      'GEMINI_CLI_NO_RELAUNCH',
      'GOOGLE_API_KEY',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_GEMINI_BASE_URL',
      ...proxies,
    ],
    hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    wants: [['GEMINI_API_KEY', 'GOOGLE_API_KEY']],
    install: 'npm install --global @google/gemini-cli',
    signIn: '`gemini`, which asks at its first start',
  }),
  entry({
    id: 'copilot',
    name: 'GitHub Copilot CLI',
    command: 'copilot',
    args: ['--acp', '--stdio'],
    sandboxEnv: { COPILOT_HOME: '{state}/.copilot' },
    memory: inPlace('.copilot/session-state/**', ...database('.copilot/session-store.db')),
    passes: ['GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_GITHUB_TOKEN', 'COPILOT_MODEL', ...proxies],
    hosts: ['api.github.com', '*.githubcopilot.com'],
    wants: [['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']],
    install: 'npm install --global @github/copilot',
    signIn: '`copilot` and then /login',
  }),
  entry({
    id: 'opencode',
    name: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    // By itself it asks nobody. It puts this above its own settings: who wants those sets it to `{}`.
    env: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask"}' },
    sandboxEnv: { XDG_DATA_HOME: '{state}/data', XDG_STATE_HOME: '{state}/state' },
    // Asked for a session that was in another folder it never answers.
    memory: inPlace(...database('data/opencode/opencode*.db'), 'data/opencode/storage/**'),
    passes: [
      'OPENCODE_CONFIG',
      'OPENCODE_CONFIG_CONTENT',
      'OPENCODE_PERMISSION',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      ...proxies,
    ],
    hosts: ['api.anthropic.com', 'api.openai.com', 'models.dev', 'opencode.ai'],
    wants: [],
    install: 'npm install --global opencode-ai',
    signIn: '`opencode auth login`',
  }),
  entry({
    id: 'goose',
    name: 'Goose',
    command: 'goose',
    args: ['acp'],
    // By itself it asks nobody. In `smart_approve` it chooses what is worth asking.
    env: { GOOSE_MODE: 'approve' },
    sandboxEnv: { GOOSE_PATH_ROOT: '{state}/goose' },
    memory: travelling('goose/data/sessions/**'),
    passes: [
      'GOOSE_PROVIDER',
      'GOOSE_MODEL',
      'GOOSE_MODE',
      'GOOSE_DISABLE_KEYRING',
      'OPENAI_API_KEY',
      'OPENAI_HOST',
      'ANTHROPIC_API_KEY',
      ...proxies,
    ],
    hosts: ['api.anthropic.com', 'api.openai.com'],
    wants: [['GOOSE_PROVIDER']],
    install: 'npm install --global @aaif/goose-binary-linux-x64',
    signIn: '`goose configure`',
  }),
  entry({
    id: 'qwen',
    name: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    memory: inPlace('.qwen/projects/**', '.qwen/todos/**', '.qwen/tmp/*/chats/**'),
    passes: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY', ...proxies],
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
    wants: [],
    install: 'npm install --global @qwen-code/qwen-code',
    signIn: '`qwen`, which asks at its first start',
  }),
]

/** Whether an agent of this id uses servers of tools: our own do not. */
export const takesServers = (id: string) =>
  knownAgents.find((entry) => entry.id === id)?.command !== 'farhand'
