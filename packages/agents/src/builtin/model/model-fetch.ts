import type { Environment } from './model-choice.ts'

export type ModelFetch = typeof fetch

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
