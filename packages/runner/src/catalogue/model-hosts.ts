const namesPlace =
  /(_BASE_URL|_MODEL_URL|_API_URL|_API_BASE|_ENDPOINT|^(OPENAI|OLLAMA|ANTHROPIC|GOOGLE|DATABRICKS)_HOST)$/i
const placeInside = /"(?:baseURL|base_url|baseUrl)"\s*:\s*"([^"\\]+)"/g

/**
 * The hosts of an agent's model, with ports, as a list of allowed hosts has them: those known, and those named in its
 * environment.
 */
export function modelHosts(known: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => [
    ...(namesPlace.test(name) ? [value] : []),
    // Some agents have the address inside a variable that holds a whole config file.
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
