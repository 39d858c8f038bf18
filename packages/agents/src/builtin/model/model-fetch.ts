import type { Environment } from './model-choice.ts'

export type ModelFetch = typeof fetch

/** A proxy elsewhere cannot reach a model on this machine. */
const here = ['localhost', '127.0.0.1', '[::1]']

/** The way to the model: through the proxy that the environment names, for which Node's own does not look. */
export async function modelFetch(env: Environment): Promise<ModelFetch> {
  const named = (name: string) => env[name.toLowerCase()] ?? env[name] ?? ''
  const [httpProxy, httpsProxy] = [named('HTTP_PROXY'), named('HTTPS_PROXY')]
  if (httpProxy === '' && httpsProxy === '') return fetch
  const noProxy = [named('NO_PROXY'), ...here].filter(Boolean).join(',')
  const undici = await import('undici')
  // Many proxies let only HTTPS through a tunnel.
  const dispatcher = new undici.EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: false })
  const through = (url: string, init: object) => undici.fetch(url, { ...init, dispatcher })
  // It is the very thing that Node has built in, in a newer version, with types of its own.
  return through as unknown as ModelFetch
}
