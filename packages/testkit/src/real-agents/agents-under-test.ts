import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** The folders and the model of an agent in a test. */
export type AgentPlace = {
  /** Where its packages are installed. */
  installed: string
  home: string
  /** The address of a scripted model, without a path. */
  llmUrl: string
  /** How often it was started before in this test; 0 by default. */
  startedBefore?: number
}

/** An agent of another vendor as tests run it: it connects only to this machine. */
export type AgentUnderTest = {
  id: string
  /** What to install, in exactly these versions. */
  packages: Readonly<Record<string, string>>
  /** Whether it gives its model a way to ask people something. */
  canAsk: boolean
  /** Whether it wraps such a question into a permission, and asks in no other way. */
  wrapsQuestions?: true
  /** Whether it says nothing at all when its model fails: people are told that it said nothing. */
  hidesErrors?: true
  /** Whether a session that it resumes keeps the instructions that it began with, even if others were brought since. */
  keepsFirstSetup?: true
  /** What it knows of the conversation when a runner starts it again. */
  startsAgain: 'resumed' | 'loaded' | 'briefed'
  /** Settings files in its home that make it use this model, where variables cannot. */
  settings?(llmUrl: string): Record<string, string>
  /**
   * How its program is started, and with which variables; arguments and variables that the catalogue gives to every user
   * are added.
   */
  start(place: AgentPlace): { command: string; args: string[]; env: Record<string, string> }
}

/** Starts it with its settings in its home. */
export function startWithSettings(
  agent: AgentUnderTest,
  place: AgentPlace,
): ReturnType<AgentUnderTest['start']> {
  for (const [name, text] of Object.entries(agent.settings?.(place.llmUrl) ?? {}))
    put(path.join(place.home, name), text)
  return agent.start(place)
}

const system = `${process.platform}-${process.arch}`
const key = 'no-key-is-needed'

/** Some want a newer Node than we do: where ours is older, they are given one of their own. */
const hasNewNode = Number(process.versions.node.split('.')[0]) >= 22
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const newNode: Record<string, string> = hasNewNode ? {} : { [nodePackage]: '22.23.3' }
const newNodeIn = (installed: string) =>
  hasNewNode ? process.execPath : path.join(installed, 'node_modules', nodePackage, 'bin/node')
/** By themselves they try a model that is out of order for minutes, and longer each time. */
const mostTries = 2

const opencode: AgentUnderTest = {
  id: 'opencode',
  // Only the program: the package of the plain name brings a second build of it, and a script that copies one.
  packages: { [`opencode-${system}`]: '1.18.33' },
  canAsk: false,
  startsAgain: 'resumed',
  start: ({ installed, llmUrl }) => ({
    command: path.join(installed, `node_modules/opencode-${system}/bin/opencode`),
    args: [],
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${llmUrl}/v1`, apiKey: key },
            models: {
              scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 10_000 } },
            },
          },
        },
      }),
    },
  }),
}

const claude: AgentUnderTest = {
  id: 'claude',
  packages: { '@agentclientprotocol/claude-agent-acp': '0.99.1' },
  canAsk: true,
  startsAgain: 'resumed',
  start: ({ installed, llmUrl }) => ({
    command: process.execPath,
    args: [path.join(installed, 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js')],
    env: {
      ANTHROPIC_BASE_URL: llmUrl,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: String(mostTries - 1),
    },
  }),
}

const gemini: AgentUnderTest = {
  id: 'gemini',
  packages: { '@google/gemini-cli': '0.61.0' },
  canAsk: false,
  startsAgain: 'loaded',
  settings: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, maxAttempts: mostTries },
    }),
  }),
  start({ installed, home, llmUrl, startedBefore = 0 }) {
    const clock = path.join(home, 'clock.cjs')
    if (startedBefore > 0) put(clock, clockAhead(startedBefore * 60_000))
    return {
      command: process.execPath,
      args: [path.join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js')],
      env: {
        GOOGLE_GEMINI_BASE_URL: llmUrl,
        GEMINI_API_KEY: key,
        // It names the file of a session by the minute. Asked for one in the minute in which that began, it begins the
        // same file anew and finds nothing in it: here each start is a minute after the one before.
        ...(startedBefore > 0 && { NODE_OPTIONS: `--require=${clock}` }),
      },
    }
  },
}

const codex: AgentUnderTest = {
  id: 'codex',
  // It asks for a range of the second.
  packages: { '@agentclientprotocol/codex-acp': '2.6.0', '@openai/codex': '0.166.0' },
  canAsk: true,
  startsAgain: 'resumed',
  start: ({ installed, llmUrl }) => ({
    command: process.execPath,
    args: [path.join(installed, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js')],
    env: {
      OPENAI_API_KEY: key,
      CODEX_CONFIG: JSON.stringify({
        // As the catalogue has it.
        features: { default_mode_request_user_input: true },
        model: 'scripted',
        model_provider: 'scripted',
        model_providers: {
          scripted: {
            name: 'Scripted',
            base_url: `${llmUrl}/v1`,
            wire_api: 'responses',
            env_key: 'OPENAI_API_KEY',
            request_max_retries: mostTries - 1,
            stream_max_retries: 0,
          },
        },
      }),
    },
  }),
}

const goose: AgentUnderTest = {
  id: 'goose',
  packages: { [`@aaif/goose-binary-${system}`]: '1.52.0' },
  canAsk: false,
  startsAgain: 'loaded',
  start: ({ installed, llmUrl }) => ({
    command: path.join(installed, `node_modules/@aaif/goose-binary-${system}/bin/goose`),
    args: [],
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'scripted',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_OFF: '1',
      // It tries again after every error, and would wait longer each time.
      GOOSE_PROVIDER_SKIP_BACKOFF: 'true',
      OPENAI_HOST: llmUrl,
      OPENAI_API_KEY: key,
    },
  }),
}

const copilot: AgentUnderTest = {
  id: 'copilot',
  packages: { '@github/copilot': '1.0.102' },
  canAsk: false,
  startsAgain: 'loaded',
  start: ({ installed, llmUrl }) => ({
    command: process.execPath,
    args: [path.join(installed, 'node_modules/@github/copilot/npm-loader.js')],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${llmUrl}/v1`,
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
    },
  }),
}

const qwen: AgentUnderTest = {
  id: 'qwen',
  packages: { '@qwen-code/qwen-code': '0.24.4', ...newNode },
  canAsk: true,
  wrapsQuestions: true,
  startsAgain: 'resumed',
  start: ({ installed, llmUrl }) => ({
    command: newNodeIn(installed),
    args: [path.join(installed, 'node_modules/@qwen-code/qwen-code/cli-entry.js')],
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${llmUrl}/v1`, OPENAI_MODEL: 'scripted' },
  }),
}

const kimi: AgentUnderTest = {
  id: 'kimi',
  packages: { '@moonshot-ai/kimi-code': '2.1.0', ...newNode },
  canAsk: true,
  hidesErrors: true,
  keepsFirstSetup: true,
  startsAgain: 'resumed',
  start: ({ installed, llmUrl }) => ({
    command: newNodeIn(installed),
    args: [path.join(installed, 'node_modules/@moonshot-ai/kimi-code/dist/main.mjs')],
    env: {
      KIMI_MODEL_NAME: 'scripted',
      KIMI_MODEL_API_KEY: key,
      KIMI_MODEL_PROVIDER_TYPE: 'openai',
      KIMI_MODEL_BASE_URL: `${llmUrl}/v1`,
    },
  }),
}

const pi: AgentUnderTest = {
  id: 'pi',
  // The second is what the first one starts; later versions ask for packages that are not in every registry.
  packages: { 'pi-acp': '0.0.34', '@earendil-works/pi-coding-agent': '0.87.1', ...newNode },
  canAsk: false,
  hidesErrors: true,
  startsAgain: 'loaded',
  settings: (llmUrl) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        scripted: {
          baseUrl: `${llmUrl}/v1`,
          api: 'openai-completions',
          apiKey: key,
          models: [{ id: 'scripted' }],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'scripted', defaultModel: 'scripted' }),
  }),
  start({ installed, home }) {
    const bin = path.join(home, 'bin')
    const program = path.join(installed, 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js')
    put(path.join(bin, 'pi'), `#!/bin/sh\nexec ${newNodeIn(installed)} ${program} "$@"\n`)
    chmodSync(path.join(bin, 'pi'), 0o755)
    return {
      command: newNodeIn(installed),
      args: [path.join(installed, 'node_modules/pi-acp/dist/index.js')],
      env: {
        OPENAI_API_KEY: key,
        PATH: `${bin}:${process.env.PATH ?? ''}`,
        // It has npm look for a newer version of itself.
        npm_config_offline: 'true',
      },
    }
  },
}

export const agentsUnderTest: readonly AgentUnderTest[] = [
  ...[opencode, claude, gemini, codex, goose],
  ...[copilot, qwen, kimi, pi],
]

const clockAhead = (ms: number) => `
  const { Date: Real } = globalThis
  const now = () => Real.now() + ${ms}
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      super(...(given.length > 0 ? given : [now()]))
    }
    static now() {
      return now()
    }
  }
`

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
