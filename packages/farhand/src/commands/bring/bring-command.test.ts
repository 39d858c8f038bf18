import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { homeWith } from '@farhand/device/bring/home-under-test'
import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'

const token = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`

function callsIn(files: Record<string, string>) {
  const { home, write } = homeWith(files)
  const call = (...words: string[]) => runHere(['bring', ...words], { home, cwd: home })
  const json = async (...words: string[]) =>
    (await call(...words, '--json')).out
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { home, write, call, json }
}

const some = {
  '.agents/AGENTS.md': 'Use tabs.',
  '.claude/skills/review/SKILL.md': 'a',
  '.claude/commands/deploy.md': `with ${token}`,
  '.claude.json': JSON.stringify({
    mcpServers: { github: { url: 'https://a.example/mcp', headers: { Authorization: `Bearer ${token}` } } },
  }),
}

describe('farhand bring', () => {
  it('lists what there is, brings nothing by itself, and then what was named by path or name', async () => {
    const { call, json, home } = callsIn(some)
    expect((await call()).out).toMatch(/Nothing of this leaves your machine unless you add it/)
    expect((await json()).map(({ called, isChosen }) => [called, isChosen])).toEqual([
      ['~/.agents/AGENTS.md', false],
      ['~/.claude/skills/review', false],
      ['~/.claude/commands/deploy.md', false],
      ['claude:github', false],
    ])
    const { notes } = await call('add', '.agents/AGENTS.md', 'review', 'github')
    expect(notes).toMatch(/GITHUB_AUTHORIZATION \(what comes after "Bearer"\) stays here.*secret set/)
    expect((await json()).map(({ isChosen }) => isChosen)).toEqual([true, true, false, true])
    const kept = path.join(home, '.local/state/farhand/bring.json')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    await call('remove', 'review', 'claude:github')
    expect((await json()).filter(({ isChosen }) => isChosen)).toHaveLength(1)
  })

  it('refuses what looks like a secret with its place and never its value, and then adds nothing', async () => {
    const { call, json } = callsIn(some)
    const trouble = await call('add', 'review', 'deploy').catch((error: Error) => error)
    expect(trouble).toMatchObject({ exit: 'failed', message: expect.stringContaining('deploy.md, line 1') })
    const all = [
      JSON.stringify(trouble),
      (await call()).out,
      (await call('show', 'github')).out,
      JSON.stringify(await json()),
    ]
    expect(all.join('\n')).not.toContain(token)
    expect((await json()).some(({ isChosen }) => isChosen)).toBe(false)
  })

  it('shows where each agent finds it', async () => {
    const { json } = callsIn(some)
    const [{ goes, files }] = await json('show', 'review')
    expect(files).toEqual([{ path: '.claude/skills/review/SKILL.md', size: 1, mode: '644' }])
    expect(goes).toContainEqual({ agent: 'codex', to: '.codex/skills/review/SKILL.md' })
  })

  it('says which are meant if several are, and what there is if none is', async () => {
    const { call } = callsIn({ '.agents/skills/a/SKILL.md': 'a', '.claude/skills/a/SKILL.md': 'a' })
    await expect(call('add', 'a')).rejects.toThrow('a could be ~/.agents/skills/a or ~/.claude/skills/a.')
    await expect(call('add', 'b')).rejects.toThrow('No agent reads anything called b.')
    await expect(call('add', '.bashrc')).rejects.toThrow('No agent reads anything called .bashrc')
  })

  it('tells that something has changed or is gone, and lets it be removed', async () => {
    const { call, json, write, home } = callsIn(some)
    await call('add', 'AGENTS.md', 'review')
    write('.agents/AGENTS.md', 'Use spaces.')
    rmSync(path.join(home, '.claude/skills/review'), { recursive: true })
    expect((await call()).out).toMatch(/✓ instructions .*changed since you added it/)
    expect((await json()).at(-1)).toMatchObject({
      name: '.claude/skills/review',
      why: ['it no longer exists'],
    })
    await call('remove', '.claude/skills/review')
    expect((await json()).map(({ name }) => name)).not.toContain('.claude/skills/review')
  })

  it('brings nothing if what was chosen cannot be read', async () => {
    const { call, write } = callsIn({ '.local/state/farhand/bring.json': '{"items":' })
    await expect(call()).rejects.toThrow('bring.json cannot be read')
    write('.local/state/farhand/bring.json', '{}')
    expect((await call()).code).toBe(0)
  })
})
