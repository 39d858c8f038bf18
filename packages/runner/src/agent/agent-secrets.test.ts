import { expect, it } from 'vitest'
import { agentSecrets } from './agent-secrets.ts'

it('credentials of an agent are found by their names, also among the arguments of its MCP servers', () => {
  const args = [
    '-y',
    'tools-of-somebody',
    '--token',
    'abcdefgh-1',
    '--api-key=abcdefgh-2',
    '--port',
    '12345678',
  ]
  const headers = [{ name: 'Authorization', value: 'Bearer abcdefgh-3' }]
  const found = agentSecrets({
    env: { MY_KEY: 'abcdefgh-4', HOME: '/home/someone', A_KEY: 'short' },
    mcpServers: [
      { name: 'a', command: 'npx', args, env: [{ name: 'A_SECRET', value: 'abcdefgh-5' }] },
      { type: 'http', name: 'b', url: 'https://b.example', headers },
    ],
  })
  expect(found.map(({ value }) => value).sort()).toEqual([1, 2, 3, 4, 5].map((n) => `abcdefgh-${n}`))
})
