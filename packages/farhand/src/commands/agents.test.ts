import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { knownAgents } from '@farhand/runner/catalogue/catalogue'
import { describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'

async function agents(state: string, env: Record<string, string> = {}) {
  const { out } = await runHere(['agents', '--json', '--state', state], { env })
  const all = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return (id: string) => all.find((one) => one.id === id)
}

describe('farhand agents', () => {
  it('says what is usable and what the others want, by names alone', async () => {
    const state = await temporaryFolder()
    const agent = await agents(state)
    expect(agent('rehearsal')).toMatchObject({ state: 'usable', missing: [] })
    expect(agent('builtin')).toMatchObject({ state: 'unset' })
    expect(agent('claude')).toMatchObject({
      state: 'not-installed',
      program: null,
      missing: [['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']],
      install: expect.stringContaining('npm install'),
    })
    const env = { OPENAI_API_KEY: 'sk-very-secret' }
    expect((await agents(state, env))('builtin')).toMatchObject({ state: 'usable' })
    expect((await runHere(['agents', '--state', state], { env })).out).not.toContain('very-secret')
  })

  it('proposes to begin with one that can work, and with the rehearsal only if there is no other', async () => {
    const begin = async (env: Record<string, string>) =>
      /Begin with one: npx farhand run --agent (\S+)/.exec(
        (await runHere(['agents', '--state', await temporaryFolder()], { env })).out,
      )?.[1]
    expect(await begin({})).toBe('rehearsal')
    expect(await begin({ OPENAI_API_KEY: 'sk' })).toBe('builtin')
  })

  it('leads a newcomer to every variable that the built-in agent is given', async () => {
    const { out } = await runHere(['agents', '--state', await temporaryFolder()])
    expect(out).toContain('farhand agent builtin --help')
    const help = (await runHere(['agent', 'builtin', '--help'])).out
    const { passes, wants } = knownAgents.find(({ id }) => id === 'builtin')!
    for (const name of [...passes, ...wants.flat()]) expect(help).toContain(name.toUpperCase())
    expect(help).toContain('farhand run --agent builtin "')
  })

  it('takes agents of the user, and another program for one that we know', async () => {
    const state = await temporaryFolder()
    const entries = [
      { id: 'mine', name: 'Mine', command: process.execPath },
      { id: 'claude', name: 'Claude, my way', command: process.execPath },
    ]
    await writeFile(path.join(state, 'agents.json'), JSON.stringify(entries))
    const agent = await agents(state)
    expect(agent('mine')).toMatchObject({ state: 'usable', program: process.execPath })
    expect(agent('claude')).toMatchObject({
      name: 'Claude, my way',
      program: process.execPath,
      missing: [['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']],
    })
    expect(agent('codex')).toMatchObject({ name: 'Codex' })
  })

  it('tells how to install Goose on this machine, and finds it as that installs it', async () => {
    const state = await temporaryFolder()
    const bin = await temporaryFolder()
    const system = `${process.platform}-${process.arch}`
    const env = { PATH: bin, GOOSE_PROVIDER: 'openai' }
    expect((await agents(state, env))('goose')).toMatchObject({
      state: 'not-installed',
      install: `npm install --global @aaif/goose-binary-${system}`,
    })
    // As the package calls its program.
    const program = path.join(bin, `goose-binary-${system}`)
    await writeFile(program, '', { mode: 0o755 })
    expect((await agents(state, env))('goose')).toMatchObject({ state: 'usable', program })
  })

  it('adds to an agent that we know what a user writes down without a program', async () => {
    const state = await temporaryFolder()
    const mcpServers = [{ name: 'issues', command: 'issues-mcp', env: { ISSUES_TOKEN: '{MY_TOKEN}' } }]
    await writeFile(path.join(state, 'agents.json'), JSON.stringify([{ id: 'opencode', mcpServers }]))
    expect((await agents(state))('opencode')).toMatchObject({
      name: 'OpenCode',
      missing: [['MY_TOKEN']],
      mcpServers: ['issues'],
    })
    const env = { MY_TOKEN: 'very-secret' }
    expect((await agents(state, env))('opencode')).toMatchObject({ missing: [] })
    const { out } = await runHere(['agents', '--state', state], { env })
    expect(out).toContain('with tools of issues')
    expect(out).not.toContain('very-secret')
  })

  it('shows in its help what an agent of your own looks like, and takes that', async () => {
    const { out } = await runHere(['agents', '--help'])
    const example = /\[\{.*?\}\]/s.exec(out)?.[0] ?? ''
    const state = await temporaryFolder()
    await writeFile(path.join(state, 'agents.json'), example)
    expect((await agents(state))('mine')).toMatchObject({ state: 'not-installed' })
  })

  it.each([
    ['{', /not JSON/],
    ['{}', /is not a list/],
    ['[{"id":"Mine","name":"x","command":"y"}]', /\[0\]\.id: expected lowercase letters/],
    ['[{"id":"mine","name":"x","command":"y","comand":"z"}]', /\[0\]: .*comand/],
    [
      '[{"id":"builtin","mcpServers":[{"name":"a","command":"a"}]}]',
      /\[0\]\.mcpServers: our own agents use no such servers/,
    ],
    ['[{"id":"mine","mcpServers":[]}]', /\[0\]\.name: /],
    ['[{"id":"claude","mcpServers":[{"name":"a"}]}]', /\[0\]\.mcpServers\[0\]\.command: /],
    [
      '[{"id":"claude","mcpServers":[{"name":"a","command":"a"},{"name":"a","command":"b"}]}]',
      /\[0\]\.mcpServers: two have the same name/,
    ],
  ])('names the file and the field that is wrong: %s', async (text, sentence) => {
    const state = await temporaryFolder()
    const file = path.join(state, 'agents.json')
    await writeFile(file, text)
    const trouble = expect.objectContaining({ exit: 'usage', message: expect.stringMatching(sentence) })
    await expect(runHere(['agents', '--state', state])).rejects.toEqual(trouble)
    await expect(runHere(['agents', '--state', state])).rejects.toThrow(file)
  })
})
