import type { ServersFormat } from '@farhand/runner/bring/agent-setups'

/** An MCP server from any agent's settings, in one format. */
export type FoundServer =
  | { name: string; command: string; args: string[]; env: Record<string, string> }
  | { name: string; type: 'http' | 'sse'; url: string; headers: Record<string, string> }

type Said = Record<string, unknown>

const objectOf = (value: unknown): Said =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Said) : {}
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  )
const listOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** The MCP servers in a settings file; throws if it cannot be parsed. */
export function serversIn(format: ServersFormat, text: string): FoundServer[] {
  if (format === 'codex')
    return Object.entries(codexTables(text)).flatMap(([name, one]) => serverOf(name, one))
  const said = objectOf(JSON.parse(format === 'opencode' ? withoutComments(text) : text))
  const servers = objectOf(format === 'opencode' ? said.mcp : said.mcpServers)
  return Object.entries(servers).flatMap(([name, one]) => serverOf(name, objectOf(one)))
}

function serverOf(name: string, said: Said): FoundServer[] {
  if (said.enabled === false || said.disabled === true) return []
  // Agents use different names for the URL.
  const url = said.httpUrl ?? said.serverUrl ?? said.url
  if (typeof url === 'string') {
    const type = said.type === 'sse' || said.transport === 'sse' ? 'sse' : 'http'
    const bearer = said.bearer_token_env_var
    const token = typeof bearer === 'string' ? { Authorization: `Bearer \${${bearer}}` } : {}
    return [
      { name, type, url, headers: { ...textsOf(said.headers), ...textsOf(said.http_headers), ...token } },
    ]
  }
  const [first, ...rest] = Array.isArray(said.command) ? listOf(said.command) : [said.command]
  if (typeof first !== 'string') return []
  const args = [...(rest as string[]), ...listOf(said.args)]
  return [{ name, command: first, args, env: { ...textsOf(said.env), ...textsOf(said.environment) } }]
}

const token = String.raw`"(?:[^"\\]|\\.)*"`

/** JSON with comments and trailing commas. */
const withoutComments = (text: string) =>
  text
    .replace(
      new RegExp(String.raw`(${token})|//[^\n]*|/\*[\s\S]*?\*/`, 'g'),
      (_, kept?: string) => kept ?? '',
    )
    .replace(new RegExp(String.raw`(${token})|,(?=\s*[}\]])`, 'g'), (_, kept?: string) => kept ?? '')

/**
 * The subset of TOML that `codex mcp add` writes: tables of strings and lists of strings. Everything else is ignored.
 */
function codexTables(text: string): Record<string, Said> {
  const servers: Record<string, Said> = {}
  let into: Said | null = null
  const joined = text.replace(/=\s*\[[^\]]*\]/g, (list) => list.replace(/\s*\n\s*/g, ' '))
  for (const line of joined.split('\n')) {
    const table = /^\s*\[\s*([^\]]+?)\s*\]\s*(?:#.*)?$/.exec(line)
    if (table) {
      const [first, name, below] = keysOf(table[1]!)
      if (first !== 'mcp_servers' || name === undefined) into = null
      else {
        servers[name] ??= {}
        const server = servers[name]
        if (below !== undefined) server[below] ??= {}
        into = below === undefined ? server : objectOf(server[below])
      }
      continue
    }
    const [, key, value] = /^\s*([\w-]+|"[^"]*")\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (into && key !== undefined) into[key.replace(/^"|"$/g, '')] = readValue(value!)
  }
  return servers
}

const keysOf = (path: string) =>
  (path.match(/"[^"]*"|[^.\s]+/g) ?? []).map((key) => key.replace(/^"|"$/g, ''))

function readValue(value: string): unknown {
  const texts = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)]
  const read = (found: RegExpMatchArray) =>
    found[2] ?? (JSON.parse(`"${found[1]!.replaceAll('\t', '\\t')}"`) as string)
  if (value.startsWith('[')) return texts.map(read)
  if (value.startsWith('{')) {
    const pairs = [...value.matchAll(/([\w-]+|"[^"]*")\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')/g)]
    return Object.fromEntries(pairs.map(([, key, text]) => [key!.replace(/^"|"$/g, ''), readValue(text!)]))
  }
  if (/^(true|false)\b/.test(value)) return value.startsWith('true')
  return texts[0] ? read(texts[0]) : undefined
}
