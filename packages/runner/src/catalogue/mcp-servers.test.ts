import { describe, expect, it } from 'vitest'
import { canReach } from '../agent/agent-replies.ts'
import { McpServerEntry, mcpServersOf, variablesWanted } from './mcp-servers.ts'

const read = (...said: object[]) => said.map((one) => McpServerEntry.parse(one))

describe('MCP servers', () => {
  const entries = read(
    { name: 'files', command: 'files-mcp', args: ['--read'], env: { LEVEL: 'debug', A_KEY: '{KEY_OF_A}' } },
    {
      name: 'web',
      type: 'http',
      url: 'https://a.example/mcp',
      headers: { Authorization: 'Bearer {WEB_TOKEN}' },
    },
    { name: 'old', type: 'sse', url: 'http://b.example/sse', headers: { 'X-Two': '{KEY_OF_A}:{WEB_TOKEN}' } },
  )

  it('want variables by name, each once', () => {
    expect(variablesWanted(entries)).toEqual(['KEY_OF_A', 'WEB_TOKEN'])
    expect(variablesWanted(read({ name: 'a', command: 'a' }))).toEqual([])
  })

  it('are passed to an agent as ACP has them, with the values of the variables', () => {
    expect(mcpServersOf(entries, { KEY_OF_A: 'k', WEB_TOKEN: '$&' })).toEqual([
      {
        name: 'files',
        command: 'files-mcp',
        args: ['--read'],
        env: [
          { name: 'LEVEL', value: 'debug' },
          { name: 'A_KEY', value: 'k' },
        ],
      },
      {
        type: 'http',
        name: 'web',
        url: 'https://a.example/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer $&' }],
      },
      { type: 'sse', name: 'old', url: 'http://b.example/sse', headers: [{ name: 'X-Two', value: 'k:$&' }] },
    ])
  })

  it('may have variables among their arguments', () => {
    const [server] = read({ name: 'a', command: 'a', args: ['--key={KEY_OF_A}', '{"json":1}'] })
    expect(variablesWanted([server!])).toEqual(['KEY_OF_A'])
    expect(mcpServersOf([server!], { KEY_OF_A: 'k' })[0]).toMatchObject({ args: ['--key=k', '{"json":1}'] })
  })

  it('may have a variable in their address', () => {
    const [server] = read({ name: 'a', type: 'http', url: 'https://a.example/{KEY_OF_A}/mcp' })
    expect(variablesWanted([server!])).toEqual(['KEY_OF_A'])
    expect(mcpServersOf([server!], { KEY_OF_A: 'k' })[0]).toMatchObject({ url: 'https://a.example/k/mcp' })
  })

  it('over the network are for agents that say that they can', () => {
    const can = (mcpCapabilities?: object) =>
      mcpServersOf(entries, {}).map((server) =>
        canReach({ protocolVersion: 1, agentCapabilities: { mcpCapabilities } } as never, server),
      )
    expect(can()).toEqual([true, false, false])
    expect(can({ http: true })).toEqual([true, true, false])
    expect(can({ http: true, sse: true })).toEqual([true, true, true])
    expect(canReach({ protocolVersion: 1 }, mcpServersOf(entries, {})[1]!)).toBe(false)
  })

  it.each([
    [{ name: 'a' }, 'command', /expected string/],
    [{ name: 'a', command: 'a', url: 'https://x.example' }, '', /url/],
    [{ name: 'a', type: 'http', url: 'files-mcp' }, 'url', /begins with http/],
    [{ name: 'a', type: 'ftp', url: 'https://x.example' }, 'type', /Invalid/],
    [{ name: 'a', command: 'a', env: { A_TOKEN: 'abc' } }, 'env.A_TOKEN', /no secret, but the name/],
    [
      { name: 'a', type: 'http', url: 'https://x.example', headers: { authorization: 'Bearer abc' } },
      'headers.authorization',
      /such as \{MY_TOKEN\}/,
    ],
    ['files-mcp', '', /Invalid/],
  ])('that are written down wrongly are told by the field: %j', (said, field, why) => {
    const [issue] = McpServerEntry.safeParse(said).error?.issues ?? []
    expect([issue?.path.join('.'), issue?.message]).toEqual([field, expect.stringMatching(why)])
  })
})
