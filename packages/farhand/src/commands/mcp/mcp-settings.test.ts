import { serversIn } from '@farhand/device/bring/server-settings'
import { agentSetups } from '@farhand/runner/bring/agent-setups'
import { expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { mcpSettings } from './mcp-settings.ts'

const words = ['/opt/node 20/bin/node', '/opt/farhand "x"/farhand.cjs', 'mcp'] as const

it('the settings for each agent are in the format of that agent, and start the server with its words', () => {
  for (const { agent, text, file } of mcpSettings([...words])) {
    const known = agentSetups[agent]?.servers
    if (!known) continue
    expect(file).toBe(known.file)
    const [server] = serversIn(known.format, text)
    expect(server, agent).toEqual({ name: 'farhand', command: words[0], args: words.slice(1), env: {} })
  }
})

it('an installed command is named, any other is given by its path', async () => {
  const called = { farhand: 'farhand', hub: 'farhand hub' }
  const named = await runHere(['mcp', 'settings', 'claude'], { called })
  expect(named.out).toContain('claude mcp add --scope user farhand -- farhand mcp')
  const cloned = await runHere(['mcp', 'settings', 'codex', '--json'], {
    self: ['/node', '/bin/farhand.cjs'],
  })
  expect(JSON.parse(cloned.out).text).toContain('args = ["/bin/farhand.cjs","mcp"]')
})

it('settings of an unknown agent are refused with a form that most agents take', async () => {
  await expect(runHere(['mcp', 'settings', 'nosuch'])).rejects.toMatchObject({
    exit: 'usage',
    nextStep: expect.stringContaining('"mcpServers"'),
  })
})
