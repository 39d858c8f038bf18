import { describe, expect, it } from 'vitest'
import { serversIn } from './server-settings.ts'

const tools = { name: 'tools', command: 'npx', args: ['-y', 'tools'], env: { A_KEY: 'a "b"' } }
const web = {
  name: 'web',
  type: 'http',
  url: 'https://a.example/mcp',
  headers: { Authorization: 'Bearer x' },
}
const inShell = (name: string) => ['$', '{', name, '}'].join('')

describe('the servers of tools in an agent’s settings', () => {
  it('are read as most agents write them', () => {
    const { name: _, ...said } = tools
    const servers = {
      tools: said,
      web: { type: 'http', url: web.url, headers: web.headers },
      gemini: { httpUrl: web.url },
      old: { type: 'sse', url: web.url },
      off: { command: 'x', disabled: true },
      odd: 7,
    }
    expect(serversIn('mcpServers', JSON.stringify({ other: 1, mcpServers: servers }))).toEqual([
      tools,
      web,
      { ...web, name: 'gemini', headers: {} },
      { ...web, name: 'old', type: 'sse', headers: {} },
    ])
    expect(serversIn('mcpServers', '{}')).toEqual([])
  })

  it('are read as OpenCode writes them, with comments and a comma too many', () => {
    const text = `{ // mine
      "mcp": {
        "tools": { "type": "local", "command": ["npx", "-y", "tools"], "environment": { "A_KEY": "a \\"b\\"" }, },
        /* "off": {} */
        "web": { "type": "remote", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer x" } },
        "off": { "type": "remote", "url": "https://b.example", "enabled": false },
      },
    }`
    expect(serversIn('opencode', text)).toEqual([tools, web])
  })

  it('are read as Codex writes them', () => {
    const text = `
model = "gpt"
[mcp_servers.tools]
command = "npx" # a program
args = [
  "-y",
  'tools',
]
[mcp_servers.tools.env]
A_KEY = "a \\"b\\""
[mcp_servers."web"]
url = "https://a.example/mcp"
http_headers = { Authorization = "Bearer x" }
[mcp_servers.off]
command = "x"
enabled = false
[mcp_servers.token]
url = "https://a.example/mcp"
bearer_token_env_var = "MY_TOKEN"
[projects."/home/a"]
command = "none of these"
`
    expect(serversIn('codex', text)).toEqual([
      tools,
      web,
      { ...web, name: 'token', headers: { Authorization: `Bearer ${inShell('MY_TOKEN')}` } },
    ])
  })

  it('of a file that is no JSON are none, and that is told', () => {
    expect(() => serversIn('mcpServers', '{ broken')).toThrow()
  })
})
