import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** Where an agent finds what it needs: its own files, a home of its own, and a model. */
export type AgentPlace = {
  /** Where its packages are installed. */
  installed: string
  home: string
  /** The address of a scripted model, without a path. */
  llmUrl: string
  /** How often it was started before in this test; none if nobody says. */
  startedBefore?: number
}

/** An agent that other people make, as it is driven in tests: nothing of it leaves this machine. */
export type AgentUnderTest = {
  id: string
  /** What to install, in exactly these versions. */
  packages: Readonly<Record<string, string>>
  /** Whether it gives its model a way to ask people something. */
  canAsk: boolean
  /** What it knows of the conversation when a runner starts it again. */
  startsAgain: 'resumed' | 'loaded' | 'briefed'
  /**
   * How it is started. Writes the settings it reads into its home. `env` is all it needs besides PATH, HOME and what
   * the catalogue gives to everybody.
   */
  start(place: AgentPlace): { command: string; args: string[]; env: Record<string, string> }
}

const system = `${process.platform}-${process.arch}`
const key = 'no-key-is-needed'
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
    args: ['acp'],
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
  start({ installed, home, llmUrl, startedBefore = 0 }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, maxAttempts: mostTries },
    }
    put(path.join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
    const clock = path.join(home, 'clock.cjs')
    if (startedBefore > 0) put(clock, clockAhead(startedBefore * 60_000))
    return {
      command: process.execPath,
      args: [path.join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js'), '--acp'],
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
  start({ installed, home, llmUrl }) {
    const lines = [
      'model = "scripted"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = "${llmUrl}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      `request_max_retries = ${mostTries - 1}`,
      'stream_max_retries = 0',
    ]
    put(path.join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`)
    return {
      command: process.execPath,
      args: [path.join(installed, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js')],
      env: { CODEX_HOME: path.join(home, '.codex'), SCRIPTED_KEY: key },
    }
  },
}

const goose: AgentUnderTest = {
  id: 'goose',
  packages: { [`@aaif/goose-binary-${system}`]: '1.52.0' },
  canAsk: false,
  startsAgain: 'loaded',
  start: ({ installed, llmUrl }) => ({
    command: path.join(installed, `node_modules/@aaif/goose-binary-${system}/bin/goose`),
    args: ['acp'],
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'scripted',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_OFF: '1',
      // It tries again whatever the error was, and would wait longer each time.
      GOOSE_PROVIDER_SKIP_BACKOFF: 'true',
      OPENAI_HOST: llmUrl,
      OPENAI_API_KEY: key,
    },
  }),
}

export const agentsUnderTest: readonly AgentUnderTest[] = [opencode, claude, gemini, codex, goose]

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
