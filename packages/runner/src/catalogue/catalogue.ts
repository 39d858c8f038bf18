import type { z } from 'zod'
import { AgentEntry } from './agent-entry.ts'
import { piExtension } from './pi-extension.ts'

const entry = (said: z.input<typeof AgentEntry>): AgentEntry => AgentEntry.parse(said)

/** These files travel, to any place of the workspace. */
const travelling = (...files: string[]) => ({ files, never: [], anywhere: true })
/** These files travel, if the workspace has the same path. */
const inPlace = (...files: string[]) => ({ files, never: [] })
/** A database with its write-ahead log. */
const database = (file: string) => [file, `${file}-wal`]

const inBothCases = (name: string) => [name, name.toLowerCase()]
const proxies = [...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap(inBothCases), 'NODE_EXTRA_CA_CERTS']

/** The agents that Farhand knows. A user's entry with the same id is merged with ours. */
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
      // By default, a model of its own decides instead of the user. It may write files of the workspace without
      // asking.
      INITIAL_AGENT_MODE: 'workspace-write',
      // It reads a key from its environment only if told to. Like `codex login`, it then stores the key in its home.
      DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}',
      // Without this, its model may ask users only while it plans.
      CODEX_CONFIG: '{"features":{"default_mode_request_user_input":true}}',
    },
    sandboxEnv: {
      CODEX_HOME: '{state}/.codex',
      // Its own sandbox cannot start inside ours, so every command would fail. Ours is the boundary.
      INITIAL_AGENT_MODE: 'agent-full-access',
    },
    // It does not start without that folder.
    folders: ['.codex'],
    unasked: { here: 'edits files of the workspace', sandbox: 'edits files and runs commands' },
    denyMode: 'read-only',
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
    // Without this, it starts itself again with more memory: one more process to wait for and to end.
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
    passes: [
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'COPILOT_GITHUB_TOKEN',
      'COPILOT_MODEL',
      'COPILOT_OFFLINE',
      ...['BASE_URL', 'TYPE', 'API_KEY', 'BEARER_TOKEN', 'WIRE_API'].map(
        (name) => `COPILOT_PROVIDER_${name}`,
      ),
      ...proxies,
    ],
    hosts: ['api.github.com', '*.githubcopilot.com'],
    // It writes that into a file in /tmp and tells its model only the number of lines.
    hidesContext: true,
    wants: [['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL']],
    install: 'npm install --global @github/copilot',
    signIn: '`copilot` and then /login',
  }),
  entry({
    id: 'opencode',
    name: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    // Without this it never asks. This overrides its own settings; a user who wants those sets it to `{}`.
    env: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask"}' },
    sandboxEnv: { XDG_DATA_HOME: '{state}/data', XDG_STATE_HOME: '{state}/state' },
    // It never answers if asked for a session of another folder.
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
    // Without this it never asks. In `smart_approve` it decides itself when to ask.
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
    // The package names its program after itself.
    alsoCalled: ['goose-binary-{system}'],
    install: 'npm install --global @aaif/goose-binary-{system}',
    signIn: '`goose configure`',
  }),
  entry({
    id: 'qwen',
    name: 'Qwen Code',
    command: 'qwen',
    // By default, a model of its own decides instead of the user.
    args: ['--acp', '--approval-mode', 'default'],
    memory: inPlace('.qwen/projects/**', '.qwen/todos/**', '.qwen/tmp/*/chats/**'),
    passes: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY', ...proxies],
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
    wants: [],
    install: 'npm install --global @qwen-code/qwen-code',
    signIn: '`qwen`, which asks at its first start',
  }),
  entry({
    id: 'kimi',
    name: 'Kimi Code',
    command: 'kimi',
    args: ['acp'],
    env: { KIMI_CODE_NO_AUTO_UPDATE: '1' },
    sandboxEnv: { KIMI_CODE_HOME: '{state}/.kimi-code' },
    memory: {
      ...inPlace('.kimi-code/sessions/**', '.kimi-code/session_index.jsonl', '.kimi-code/workspaces.json'),
      writesLate: true,
    },
    passes: [
      ...['NAME', 'API_KEY', 'PROVIDER_TYPE', 'BASE_URL'].map((name) => `KIMI_MODEL_${name}`),
      'KIMI_API_KEY',
      'KIMI_CODE_HOME',
      ...proxies,
    ],
    hosts: [
      'api.kimi.com',
      'api.kimi.ai',
      'api.moonshot.ai',
      'api.moonshot.cn',
      'auth.kimi.com',
      'auth.kimi.ai',
    ],
    wants: [['KIMI_MODEL_API_KEY', 'KIMI_API_KEY']],
    unasked: { here: 'writes files of a git repository', sandbox: 'writes files of a git repository' },
    denyMode: 'plan',
    install: 'npm install --global @moonshot-ai/kimi-code',
    signIn: '`kimi login`',
  }),
  entry({
    id: 'pi',
    name: 'Pi',
    command: 'pi-acp',
    programs: ['pi'],
    // Without this it never asks. With it, it asks before it uses a tool that does more than read.
    files: piExtension.files,
    env: { PI_ACP_PI_COMMAND: `{state}/${piExtension.program}` },
    sandboxEnv: { PI_CODING_AGENT_DIR: '{state}/.pi/agent' },
    memory: inPlace('.pi/agent/sessions/**'),
    passes: [
      'PI_CODING_AGENT_DIR',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
      ...proxies,
    ],
    hosts: ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com', 'openrouter.ai'],
    wants: [['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY']],
    install: 'npm install --global pi-acp @earendil-works/pi-coding-agent',
    signIn: '`pi` and then /login',
  }),
]

/** Whether this agent supports MCP servers: our own agents do not. */
export const takesServers = (id: string) =>
  knownAgents.find((entry) => entry.id === id)?.command !== 'farhand'
