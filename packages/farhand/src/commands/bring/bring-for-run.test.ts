import { nothingAllowed, withItem } from '@farhand/device/bring/allow-list'
import { writeBringList } from '@farhand/device/bring/bring-list'
import { serversForRun } from '@farhand/device/bring/setup-for-run'
import type { Network } from '@farhand/protocol/schemas/sandbox-terms'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { McpServerEntry } from '@farhand/runner/catalogue/mcp-servers'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { bringForRun } from './bring-for-run.ts'

const server = (said: object, ...secrets: string[]) => ({ entry: McpServerEntry.parse(said), secrets })
const tools = server({ name: 'tools', command: 'npx' })
const web = server({ name: 'web', type: 'http', url: 'https://mcp.a.example/x' }, 'WEB_TOKEN')
const chosen = { servers: [tools, web], left: [{ what: 'x', why: 'y' }] }
const full = { agent: 'claude', has: new Set(['WEB_TOKEN', 'OTHER']), network: 'full' as const }

describe('the MCP servers that go along to a run', () => {
  it('are those whose secrets there are, and the run is given just these', () => {
    expect(serversForRun(chosen, full)).toEqual({
      servers: [tools.entry, web.entry],
      secrets: ['WEB_TOKEN'],
      left: chosen.left,
    })
    expect(serversForRun(chosen, { ...full, has: new Set() })).toMatchObject({
      servers: [tools.entry],
      secrets: [],
      left: [...chosen.left, { why: 'there is no secret WEB_TOKEN for it' }],
    })
  })

  it('are none for an agent that uses none', () => {
    const { servers, secrets, left } = serversForRun(chosen, { ...full, agent: 'builtin' })
    expect([servers, secrets, left.length]).toEqual([[], [], 3])
  })

  it.each<[Network, boolean]>([
    ['none', false],
    [{ allow: ['a.example'] }, false],
    [{ allow: ['*.a.example:443'] }, true],
    [{ allow: ['mcp.a.example'] }, true],
  ])('over the network are those that %j reaches', (network, isReached) => {
    const { servers } = serversForRun(chosen, { ...full, network })
    expect(servers.map(({ name }) => name)).toEqual(isReached ? ['tools', 'web'] : ['tools'])
  })
})

describe('what goes along to a run', () => {
  it('is nothing if nothing was chosen, or the run is to have none of it; then no hub is asked', async () => {
    const [stateFolderPath, home] = [await temporaryFolder(), await temporaryFolder()]
    const about = {
      stateFolderPath,
      hub: { url: 'http://127.0.0.1:9' },
      agent: 'claude',
      project: 'p',
      terms: {},
    }
    const at = {
      project: ProjectId.parse('prj_00000001'),
      task: TaskId.parse('tsk_00000001'),
      run: RunId.parse('run_00000001'),
    }
    const sent = async (flags: object) => {
      const context = testContext({ home })
      const bring = await bringForRun({ ...about, flags }, context)
      await bring.send(at)
      return [bring.terms, context.ran().notes]
    }
    expect(await sent({})).toEqual([{}, ''])
    writeBringList(stateFolderPath, withItem(nothingAllowed, '.agents/AGENTS.md', 'x'))
    expect(await sent({ bring: false })).toEqual([{}, ''])
    expect(await sent({})).toEqual([
      {},
      expect.stringMatching(/not brought: .agents\/AGENTS.md: .* does not exist/),
    ])
  })
})
