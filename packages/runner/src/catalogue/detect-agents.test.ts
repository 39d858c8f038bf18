import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AgentEntry } from './agent-entry.ts'
import { knownAgents } from './catalogue.ts'
import { detectAgent, type Surroundings } from './detect-agents.ts'

const entryOf = (said: Partial<AgentEntry>) =>
  AgentEntry.parse({ id: 'one', name: 'One', command: 'one-acp', ...said })

async function here(env: Record<string, string> = {}): Promise<Surroundings & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'one-acp'), '')
  await chmod(join(folder, 'one-acp'), 0o755)
  return { env: { PATH: folder, ...env }, platform: 'linux', cwd: folder, self: ['node', 'farhand'], folder }
}

describe('an agent', () => {
  it('is found on the PATH, as a program that may be run and not as a folder or a text', async () => {
    const around = await here()
    expect(detectAgent(entryOf({}), around)).toMatchObject({
      is: 'usable',
      program: [join(around.folder, 'one-acp')],
    })
    await mkdir(join(around.folder, 'two-acp'))
    await writeFile(join(around.folder, 'three-acp'), '')
    for (const command of ['two-acp', 'three-acp', 'four-acp'])
      expect(detectAgent(entryOf({ command }), around)).toMatchObject({ is: 'not-installed', program: null })
  })

  it('with a path in its command is looked up from the current folder, and the PATH is not searched', async () => {
    const around = await here()
    expect(detectAgent(entryOf({ command: './one-acp' }), { ...around, env: {} }).is).toBe('usable')
    expect(detectAgent(entryOf({ command: './one-acp' }), { ...around, cwd: tmpdir() }).is).toBe(
      'not-installed',
    )
  })

  it('lacks the variables of its MCP servers, even if the user may have signed in to it', async () => {
    const server = { type: 'stdio' as const, name: 's', command: 's', args: [], env: { A: '{S_TOKEN}' } }
    const entry = entryOf({ signIn: '`one login`', mcpServers: [server] })
    expect(detectAgent(entry, await here())).toMatchObject({ is: 'unset', missing: [['S_TOKEN']] })
    expect(detectAgent(entry, await here({ S_TOKEN: 'x' }))).toMatchObject({ is: 'usable', missing: [] })
  })

  it('lacks the groups of which no variable is set; an empty one does not count', async () => {
    const wants = [['KEY', 'OTHER_KEY'], ['REGION']]
    const around = await here({ KEY: '', REGION: 'x' })
    expect(detectAgent(entryOf({ wants }), around)).toMatchObject({
      is: 'unset',
      missing: [['KEY', 'OTHER_KEY']],
    })
    expect(detectAgent(entryOf({ wants, signIn: '`one login`' }), around).is).toBe('maybe')
    expect(detectAgent(entryOf({ wants }), await here({ OTHER_KEY: 'x', REGION: 'x' }))).toMatchObject({
      is: 'usable',
      missing: [],
    })
  })

  it('of our own is this very command, and the rehearsal wants nothing at all', async () => {
    const rehearsal = knownAgents.find(({ id }) => id === 'rehearsal')!
    expect(detectAgent(rehearsal, { ...(await here()), env: {} })).toMatchObject({
      is: 'usable',
      program: ['node', 'farhand'],
    })
  })

  it('is known under one id only', () => {
    const ids = knownAgents.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
