import { describe, expect, it } from 'vitest'
import { AgentEntry } from './agent-entry.ts'
import { knownAgents } from './catalogue.ts'
import { mergedEntry } from './merged-entry.ts'

const codex = knownAgents.find(({ id }) => id === 'codex')!
const merged = (said: object) => AgentEntry.parse(mergedEntry(codex, { id: 'codex', ...said }))

describe('a user’s entry for an agent of the catalogue', () => {
  it('is merged into the catalogue’s, setting by setting and name by name', () => {
    const { env, passes, sandboxEnv, denyMode } = merged({
      env: { RUST_LOG: 'info', INITIAL_AGENT_MODE: 'read-only' },
      passes: ['MY_KEY', 'OPENAI_API_KEY'],
    })
    expect(env).toEqual({ ...codex.env, RUST_LOG: 'info', INITIAL_AGENT_MODE: 'read-only' })
    expect(passes).toEqual([...codex.passes, 'MY_KEY'])
    expect({ sandboxEnv, denyMode }).toEqual({ sandboxEnv: codex.sandboxEnv, denyMode: 'read-only' })
  })

  it('with another program keeps all else, and with other arguments has just these', () => {
    expect(merged({ command: '/opt/codex' })).toEqual({ ...codex, command: '/opt/codex' })
    expect(merged({ args: ['--verbose'] }).args).toEqual(['--verbose'])
    expect(merged({ wants: [] }).wants).toEqual([])
  })

  it('has its servers of tools beside ours, and in the place of one of the same name', () => {
    const server = (name: string, command: string) => ({
      type: 'stdio' as const,
      name,
      command,
      args: [],
      env: {},
    })
    const known = { ...codex, mcpServers: [server('a', 'ours'), server('b', 'ours')] }
    const both = AgentEntry.parse(
      mergedEntry(known, { mcpServers: [server('a', 'mine'), server('c', 'mine')] }),
    )
    expect(both.mcpServers.map(({ name, ...one }) => [name, 'command' in one && one.command])).toEqual([
      ['b', 'ours'],
      ['a', 'mine'],
      ['c', 'mine'],
    ])
  })

  it('that is malformed is refused like any other entry', () => {
    expect(() => merged({ env: 'x' })).toThrow()
    expect(() => merged({ readable: ['relative'] })).toThrow(/whole path/)
    for (const file of ['../x', '/etc/x', 'a/../../x', 'a//b', ''])
      expect(() => merged({ files: { [file]: '' } }), file).toThrow()
  })
})
