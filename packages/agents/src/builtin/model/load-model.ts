import type { LanguageModel, ModelMessage } from 'ai'
import type { Environment, ModelChoice, Provider } from './model-choice.ts'

type ProviderOptions = NonNullable<ModelMessage['providerOptions']>

export type LoadedModel = {
  name: string
  /** The variable for its key. */
  keyIn: string
  model: LanguageModel
  window: number
  /** Options for every request. */
  options: ProviderOptions
  /** Marks the end of a part that the provider should cache. */
  cacheMark: ProviderOptions
}

/** Loads the chosen model. Only its provider is loaded: each costs start time and memory. */
export async function loadModel(
  choice: ModelChoice,
  env: Environment,
  signal: AbortSignal,
): Promise<LoadedModel> {
  const fetch = await modelFetch(env)
  const name = choice.model ?? (await firstModel(choice, fetch, signal))
  const window = choice.window ?? modelWindow(choice.provider, name)
  const about = { name, keyIn: choice.keyIn, window, cacheMark: {} }
  const settings = {
    fetch,
    ...(choice.key && { apiKey: choice.key }),
    ...(choice.baseUrl && { baseURL: choice.baseUrl }),
  }
  switch (choice.provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      // Without it the library would take the variable as it is, and that may lack the version.
      const model = createAnthropic({ baseURL: 'https://api.anthropic.com/v1', ...settings })(name)
      const thinks = /^claude-(opus|sonnet|fable)-(4-[6-9]|[5-9])/.test(name)
      const options: ProviderOptions = thinks ? { anthropic: { thinking: { type: 'adaptive' } } } : {}
      return { ...about, model, options, cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      const openai = createOpenAI({ baseURL: 'https://api.openai.com/v1', ...settings })
      // Other servers of this dialect certainly have chat completions, and perhaps the newer interface.
      const model = choice.baseUrl ? openai.chat(name) : openai.responses(name)
      return { ...about, model, options: { openai: { store: false } } }
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      const model = createGoogleGenerativeAI(settings)(name)
      const thinks = /^gemini-(2\.5|[3-9]|pro|flash)/.test(name)
      const options: ProviderOptions = thinks ? { google: { thinkingConfig: { includeThoughts: true } } } : {}
      return { ...about, model, options }
    }
    case 'local': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const baseURL = choice.baseUrl ?? ''
      const model = createOpenAICompatible({ name: 'local', ...settings, baseURL, includeUsage: true })(name)
      return { ...about, model, options: {} }
    }
  }
}

async function firstModel(
  { baseUrl, key, keyIn }: ModelChoice,
  fetch: ModelFetch,
  signal: AbortSignal,
): Promise<string> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  let answer: unknown
  let isRefused = false
  try {
    const response = await fetch(`${baseUrl}/models`, { headers, signal })
    isRefused = response.status === 401 || response.status === 403
    if (!isRefused) answer = await response.json()
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(`No models could be listed at ${baseUrl}. Is the server running?`, { cause: error })
  }
  if (isRefused)
    throw new Error(
      key
        ? `The server at ${baseUrl} refused the key in ${keyIn}.`
        : `The server at ${baseUrl} wants a key: set ${keyIn}.`,
    )
  const models = (answer as { data?: { id?: unknown }[] } | null)?.data
  const name = Array.isArray(models) ? models[0]?.id : undefined
  if (typeof name === 'string') return name
  throw new Error(`The server at ${baseUrl} has no model. Give it one, or name one in FARHAND_MODEL.`)
}

const windows: readonly [RegExp, number][] = [
  [/^claude/, 200_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4/, 128_000],
  [/^(gpt-|o\d)/, 272_000],
  [/^gemini/, 1_000_000],
]

/** The assumed context window of a model, in tokens; if it is too low, old results are only shortened earlier. */
function modelWindow(provider: Provider, model: string): number {
  // A user's own server sets its window itself, and it is often small.
  if (provider === 'local') return 32_000
  return windows.find(([name]) => name.test(model))?.[1] ?? 128_000
}

type ModelFetch = typeof fetch

/** A remote proxy cannot reach a model on this machine. */
const here = ['localhost', '127.0.0.1', '[::1]']

/** The `fetch` for requests to the model: it uses the environment's proxy, which Node's own ignores. */
export async function modelFetch(env: Environment): Promise<ModelFetch> {
  const named = (name: string) => env[name.toLowerCase()] ?? env[name] ?? ''
  const [httpProxy, httpsProxy] = [named('HTTP_PROXY'), named('HTTPS_PROXY')]
  if (httpProxy === '' && httpsProxy === '') return fetch
  const noProxy = [named('NO_PROXY'), ...here].filter(Boolean).join(',')
  const undici = await import('undici')
  // Many proxies tunnel HTTPS only.
  const dispatcher = new undici.EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: false })
  const through = (url: string, init: object) => undici.fetch(url, { ...init, dispatcher })
  // The same as Node's built-in fetch, in a newer version with types of its own.
  return through as unknown as ModelFetch
}
