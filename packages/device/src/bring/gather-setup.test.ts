import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  nothingAllowed,
  parseAllowList,
  printAllowList,
  withItem,
  without,
  withServer,
} from './allow-list.ts'
import { findServers } from './find-servers.ts'
import { findSetup } from './find-setup.ts'
import { gatherSetup } from './gather-setup.ts'
import { homeWith } from './home-under-test.ts'
import { readItem } from './read-item.ts'

const token = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`

describe('what there is in a home', () => {
  it('is found where agents look, for those that understand it', () => {
    const here = homeWith({
      '.agents/AGENTS.md': 'a',
      '.claude/CLAUDE.md': 'a',
      '.claude/skills/review/SKILL.md': 'a',
      '.claude/commands/fix.md': 'a',
      '.claude/settings.json': '{}',
      '.bashrc': 'a',
    })
    expect(findSetup(here).map(({ kind, path, agents }) => [kind, path, agents.length])).toEqual([
      ['instructions', '.agents/AGENTS.md', 10],
      ['instructions', '.claude/CLAUDE.md', 2],
      ['skill', '.claude/skills/review', 10],
      ['command', '.claude/commands/fix.md', 1],
    ])
  })

  it('is looked for where the environment of its user has it', () => {
    const here = homeWith({ 'elsewhere/AGENTS.md': 'a' })
    const env = { CODEX_HOME: path.join(here.home, 'elsewhere') }
    expect(findSetup({ ...here, env }).map((item) => item.path)).toEqual(['.codex/AGENTS.md'])
    expect(readItem({ path: '.codex/AGENTS.md' }, { ...here, env })).toMatchObject({
      files: [{ path: '.codex/AGENTS.md' }],
    })
  })
})

describe('an item', () => {
  it('is read with all its files, and those that can be run stay so', () => {
    const here = homeWith({
      '.agents/skills/a/SKILL.md': 'a',
      '.agents/skills/a/bin/x': 'b',
      '.agents/skills/a/.git/x': 'c',
    })
    chmodSync(path.join(here.home, '.agents/skills/a/bin/x'), 0o755)
    const item = readItem({ path: '.agents/skills/a' }, here)
    expect('files' in item && item.files.map(({ path, mode }) => [path, mode])).toEqual([
      ['.agents/skills/a/SKILL.md', '644'],
      ['.agents/skills/a/bin/x', '755'],
    ])
  })

  it('with something that looks like a secret is kept back as a whole, and it is said where that is', () => {
    const here = homeWith({
      '.agents/skills/a/SKILL.md': 'a',
      '.agents/skills/a/x.md': `one\ntoken: ${token}\n`,
    })
    const item = readItem({ path: '.agents/skills/a' }, here)
    expect(item).toEqual({ why: [expect.stringMatching(/^\.agents\/skills\/a\/x\.md, line 2: /)] })
    expect(JSON.stringify(item)).not.toContain(token)
  })

  it('that leads elsewhere, is too large or is gone is not brought', () => {
    const here = homeWith({ '.ssh/config': 'x', '.agents/skills/large/x': 'x'.repeat(1024 ** 2 + 1) })
    const link = (at: string, to: string) => {
      mkdirSync(path.dirname(path.join(here.home, at)), { recursive: true })
      symlinkSync(path.join(here.home, to), path.join(here.home, at))
    }
    link('.agents/skills/out/ssh', '.ssh')
    link('.claude/CLAUDE.md', '.ssh/config')
    link('.codex/skills', '.ssh')
    const why = (at: string) => {
      const item = readItem({ path: at }, here)
      return 'why' in item ? item.why[0] : null
    }
    expect(why('.agents/skills/out')).toMatch(/out\/ssh is a link to .*outside/)
    expect(why('.claude/CLAUDE.md')).toMatch(/is a link to/)
    expect(why('.codex/skills/config')).toMatch(/is a link to/)
    expect(why('.agents/skills/large')).toMatch(/larger than 1 MiB/)
    expect(why('.agents/AGENTS.md')).toMatch(/does not exist/)
  })

  it('may be a link from where one agent looks to where another does', () => {
    const here = homeWith({ '.agents/skills/a/SKILL.md': 'a', '.claude/skills/b/SKILL.md': 'b' })
    symlinkSync(path.join(here.home, '.agents/skills/a'), path.join(here.home, '.claude/skills/a'))
    expect(readItem({ path: '.claude/skills/a' }, here)).toMatchObject({
      files: [{ path: '.claude/skills/a/SKILL.md' }],
    })
  })
})

describe('what was chosen', () => {
  it('is brought as it is now, and that it changed since is said', () => {
    const here = homeWith({ '.agents/AGENTS.md': 'one', '.claude/CLAUDE.md': 'two' })
    const digest = (at: string) => {
      const item = readItem({ path: at }, here)
      return 'files' in item ? item.digest : ''
    }
    let list = withItem(nothingAllowed, '.agents/AGENTS.md', digest('.agents/AGENTS.md'))
    list = withItem(list, '.claude/CLAUDE.md', digest('.claude/CLAUDE.md'))
    expect(gatherSetup(list, here)).toMatchObject({
      changed: [],
      left: [],
      files: [{ size: 3 }, { size: 3 }],
    })
    here.write('.agents/AGENTS.md', 'longer')
    expect(gatherSetup(list, here)).toMatchObject({
      changed: ['.agents/AGENTS.md'],
      files: [{ size: 6 }, { size: 3 }],
    })
    here.write('.agents/AGENTS.md', `token: ${token}`)
    const { files, left } = gatherSetup(list, here)
    expect(files.map((file) => file.path)).toEqual(['.claude/CLAUDE.md'])
    expect(left).toEqual([{ what: '.agents/AGENTS.md', why: expect.stringContaining('line 1') }])
  })

  it('is left out if no agent reads it, even if the list names it', () => {
    const here = homeWith({ '.bashrc': 'a' })
    expect(gatherSetup(withItem(nothingAllowed, '.bashrc', ''), here)).toMatchObject({
      files: [],
      left: [{ what: '.bashrc' }],
    })
  })

  it('of servers is brought only as it was looked at', () => {
    const settings = (command: string, key: string) =>
      JSON.stringify({ mcpServers: { tools: { command, env: { A_KEY: key } } } })
    const here = homeWith({ '.claude.json': settings('npx', 'one') })
    const [server] = findServers(here).servers
    const list = withServer(nothingAllowed, 'tools', 'claude', server!.digest)
    here.write('.claude.json', settings('npx', 'two'))
    expect(gatherSetup(list, here).servers, 'a value is no part of it').toHaveLength(1)
    here.write('.claude.json', settings('uvx', 'two'))
    expect(gatherSetup(list, here)).toMatchObject({
      servers: [],
      left: [{ why: expect.stringContaining('add it again') }],
    })
  })

  it('is kept as it was, and what is no list allows nothing', () => {
    const list = withServer(withItem(nothingAllowed, 'a', 'x'), 's', 'claude', 'y')
    expect(parseAllowList(printAllowList(list))).toEqual(list)
    expect(without(list, ['a'], ['s'])).toEqual(nothingAllowed)
    for (const text of ['', '[]x', '{"items":{"a":1}}', '{"servers":{"a":{}}}'])
      expect(parseAllowList(text)).toBeNull()
  })
})
