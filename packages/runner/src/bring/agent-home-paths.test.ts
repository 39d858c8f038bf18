import { describe, expect, it } from 'vitest'
import { knownAgents } from '../catalogue/catalogue.ts'
import { isRead, pathForAgent, placeInHome } from './agent-home-paths.ts'
import { agentSetups } from './agent-setups.ts'

const goes = (agent: string, ...paths: string[]) => paths.map((at) => pathForAgent(agent, at, new Set(paths)))

describe('a file that a user brings', () => {
  it('is known for every agent of the catalogue but our own, and only for these', () => {
    const ids = knownAgents.filter(({ command }) => command !== 'farhand').map(({ id }) => id)
    expect(Object.keys(agentSetups).sort()).toEqual(ids.sort())
  })

  it('keeps its place, for an agent that looks there', () => {
    const own = ['.claude/CLAUDE.md', '.claude/skills/a/SKILL.md', '.claude/commands/x/y.md']
    expect(goes('claude', ...own)).toEqual(own)
    expect(goes('goose', '.agents/skills/a/run.sh')).toEqual(['.agents/skills/a/run.sh'])
  })

  it('goes where the agent looks, if it is meant for all agents', () => {
    expect(goes('claude', '.agents/AGENTS.md', '.agents/skills/a/SKILL.md')).toEqual([
      '.claude/CLAUDE.md',
      '.claude/skills/a/SKILL.md',
    ])
    expect(goes('builtin', '.config/AGENTS.md')).toEqual(['.agents/AGENTS.md'])
  })

  it('gives way to a file for this very agent, and of two with the same name the first counts', () => {
    expect(goes('codex', '.agents/AGENTS.md', '.codex/AGENTS.md')).toEqual([null, '.codex/AGENTS.md'])
    expect(goes('gemini', '.agents/AGENTS.md', '.config/AGENTS.md')).toEqual(['.gemini/GEMINI.md', null])
    expect(goes('qwen', '.agents/skills/a/x', '.claude/skills/a/y', '.qwen/skills/b/z')).toEqual([
      '.qwen/skills/a/x',
      null,
      '.qwen/skills/b/z',
    ])
    expect(goes('qwen', '.agents/skills/a/x', '.qwen/skills/a/x')).toEqual([null, '.qwen/skills/a/x'])
  })

  it('is not placed for an agent that cannot read it', () => {
    expect(goes('codex', '.claude/CLAUDE.md', '.claude/commands/x.md', '.bashrc')).toEqual([null, null, null])
  })

  it('is only what an agent reads, and never settings or keys', () => {
    const read = ['.claude/CLAUDE.md', '.agents/skills/a/b', '.codex/prompts/p.md']
    const not = [
      '.bashrc',
      '.ssh/authorized_keys',
      '.claude/settings.json',
      '.claude.json',
      '.codex/auth.json',
    ]
    expect([read.filter(isRead), not.filter(isRead)]).toEqual([read, []])
  })
})

describe('a path of the home', () => {
  it.each([
    ['.claude/CLAUDE.md', { CLAUDE_CONFIG_DIR: '/s/.claude' }, '/s/.claude', 'CLAUDE.md'],
    ['.gemini/GEMINI.md', { GEMINI_CLI_HOME: '/s' }, '/s', '.gemini/GEMINI.md'],
    ['.config/goose/.goosehints', { GOOSE_PATH_ROOT: '/s/goose' }, '/s/goose', 'config/.goosehints'],
    ['.config/opencode/AGENTS.md', { XDG_CONFIG_HOME: '/c' }, '/c', 'opencode/AGENTS.md'],
    ['.agents/AGENTS.md', { CLAUDE_CONFIG_DIR: '/s/.claude' }, '/home/a', '.agents/AGENTS.md'],
    ['.claude/CLAUDE.md', { CLAUDE_CONFIG_DIR: 'relative' }, '/home/a', '.claude/CLAUDE.md'],
    ['.claude.json', { CLAUDE_CONFIG_DIR: '/s/.claude' }, '/s/.claude', '.claude.json'],
  ])('lies where the environment of a program has it: %s', (at, env, folder, below) => {
    expect(placeInHome(at, env, '/home/a')).toEqual({ folder, below })
  })
})
