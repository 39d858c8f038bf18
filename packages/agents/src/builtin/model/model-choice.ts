export type Provider = 'anthropic' | 'openai' | 'google' | 'local'

/** A model and the way to it. Without a name, the provider is asked which one it has. */
export type ModelChoice = {
  provider: Provider
  model: string | null
  key: string | null
  baseUrl: string | null
  /** The variable that holds the key, or would. */
  keyIn: string
  /** How many tokens fit, if the user knows better than we do. */
  window: number | null
}

export type Environment = Readonly<Record<string, string | undefined>>

type KeyedProvider = Exclude<Provider, 'local'>

const keyed: Readonly<Record<KeyedProvider, { keys: readonly string[]; url: string; model: string }>> = {
  anthropic: { keys: ['ANTHROPIC_API_KEY'], url: 'ANTHROPIC_BASE_URL', model: 'claude-sonnet-5-5' },
  openai: { keys: ['OPENAI_API_KEY'], url: 'OPENAI_BASE_URL', model: 'gpt-5.6' },
  google: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    url: 'GOOGLE_GEMINI_BASE_URL',
    model: 'gemini-pro-latest',
  },
}

/** Variables that hold a key: what the agent runs for a model must not see them. */
export const secretVariables: readonly string[] = [
  ...Object.values(keyed).flatMap(({ keys }) => keys),
  'FARHAND_MODEL_KEY',
]

/** Why no model can be talked to, in a sentence: something has to be set, or is set and wrong. */
export type NoModel = { missing: string } | { wrong: string }

/** The model to talk to by what is set; `missing` is a sentence that names what to set. */
export function chooseModel(env: Environment): ModelChoice | NoModel {
  const named = nameOf(env)
  const provider = named.provider ?? providerWithKey(env)
  const window = Number(env.FARHAND_MODEL_WINDOW) > 0 ? Number(env.FARHAND_MODEL_WINDOW) : null
  if (provider === null) {
    return {
      missing:
        'No model is set up. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or for a server of your own ' +
        'FARHAND_MODEL_URL (Ollama: http://127.0.0.1:11434/v1), where this agent is started',
    }
  }
  if (provider === 'local') {
    if (!env.FARHAND_MODEL_URL)
      return { missing: 'FARHAND_MODEL asks for a local model: set FARHAND_MODEL_URL to where its server is' }
    const baseUrl = addressOf('openai', env.FARHAND_MODEL_URL)
    if (baseUrl === null) return noAddress('FARHAND_MODEL_URL', env)
    const keyIn = 'FARHAND_MODEL_KEY'
    return { provider, model: named.model, key: env[keyIn] || null, keyIn, baseUrl, window }
  }
  const { keys, url, model } = keyed[provider]
  const keyIn = keys.find((name) => env[name])
  const key = keyIn && env[keyIn]
  if (!key) return { missing: `FARHAND_MODEL asks for a model of ${provider}: set ${keys.join(' or ')}` }
  const baseUrl = env[url] ? addressOf(provider, env[url]) : null
  if (env[url] && baseUrl === null) return noAddress(url, env)
  return { provider, model: named.model ?? model, key, keyIn, baseUrl, window }
}

/** The user's name for the model: "anthropic/claude-x", or only "claude-x" for the provider with a key. */
function nameOf(env: Environment): { provider: Provider | null; model: string | null } {
  const said = env.FARHAND_MODEL?.trim()
  if (!said) return { provider: null, model: null }
  const at = said.indexOf('/')
  const first = said.slice(0, Math.max(at, 0))
  // Own servers have models with names like "qwen/qwen3": only a known provider is split off.
  if (first === 'local' || first in keyed) return { provider: first as Provider, model: said.slice(at + 1) }
  return { provider: null, model: said }
}

function providerWithKey(env: Environment): Provider | null {
  // This variable is set on purpose; keys are present in many environments.
  if (env.FARHAND_MODEL_URL) return 'local'
  const found = Object.entries(keyed).find(([, { keys }]) => keys.some((name) => env[name]))
  return found ? (found[0] as KeyedProvider) : null
}

// The value itself is not shown: some contain a password.
function noAddress(variable: string, env: Environment): NoModel {
  const hasScheme = /^\s*https?:/i.test(env[variable] ?? '')
  const why = hasScheme ? 'it cannot be read' : 'it begins with neither http:// nor https://'
  return {
    wrong: `${variable} is not an address: ${why}. It should look like http://127.0.0.1:11434/v1; set it so, and start the agent again.`,
  }
}

/** Other programs that use these variables add the API version themselves: both ways of writing the URL are accepted. */
function addressOf(provider: KeyedProvider, said: string): string | null {
  const url = said.trim().replace(/\/+$/, '')
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null
  if (/\/v\d\w*$/.test(url)) return url
  if (provider === 'google') return `${url}/v1beta`
  const hasPath = new URL(url).pathname !== '/'
  return provider === 'openai' && hasPath ? url : `${url}/v1`
}
