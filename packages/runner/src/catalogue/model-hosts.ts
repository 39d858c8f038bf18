const namesPlace =
  /(_BASE_URL|_MODEL_URL|_API_URL|_API_BASE|_ENDPOINT|^(OPENAI|OLLAMA|ANTHROPIC|GOOGLE|DATABRICKS)_HOST)$/i
const placeInside = /"(?:baseURL|base_url|baseUrl)"\s*:\s*"([^"\\]+)"/g

/**
 * Where an agent finds its model: the hosts that it is known to use, and those that its environment names, with their
 * ports. As a list of hosts has them.
 */
export function modelHosts(known: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => [
    ...(namesPlace.test(name) ? [value] : []),
    // Some agents have it in a setting that is a whole file.
    ...[...value.matchAll(placeInside)].map(([, place = '']) => place),
  ])
  return [...new Set([...known, ...named.flatMap(hostAndPort)])]
}

function hostAndPort(place: string): string[] {
  const address = /^[a-z]+:\/\//i.test(place) ? place : `http://${place}`
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return []
  const { protocol, hostname, port } = new URL(address)
  const host = hostname.replace(/\.$/, '')
  return host === '' ? [] : [`${host}:${port || (protocol === 'https:' ? 443 : 80)}`]
}
