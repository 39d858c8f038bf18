import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder } from './builtin-under-test.ts'
import { readGuidance, skillOf } from './read-guidance.ts'
import { systemPrompt } from './system-prompt.ts'

const bare = {
  cwd: '/w',
  platform: 'linux',
  today: '2026-11-16',
  mode: 'ask',
  instructions: [],
  skills: [],
} as const

describe('the system prompt', () => {
  it('names the workspace, and in plan mode says that nothing may change', () => {
    expect(systemPrompt(bare)).toContain('The workspace is /w, on linux. Today is 2026-11-16.')
    expect(systemPrompt(bare)).not.toContain('propose_plan')
    expect(systemPrompt({ ...bare, mode: 'plan' })).toContain('propose_plan')
  })

  it('has the instructions of the workspace under their names, and skills by their descriptions', () => {
    const prompt = systemPrompt({
      ...bare,
      instructions: [{ name: 'AGENTS.md', text: 'Use tabs.\n' }],
      skills: [{ name: 'release', description: 'How to release', path: '.agents/skills/release/SKILL.md' }],
    })
    expect(prompt).toContain('(AGENTS.md)\n\nUse tabs.')
    expect(prompt).toContain('- release (.agents/skills/release/SKILL.md): How to release')
  })

  it('is read from the workspace, once if two files say the same, and never from outside', async () => {
    const cwd = folder()
    writeFileSync(path.join(cwd, 'AGENTS.md'), 'Use tabs.')
    symlinkSync('AGENTS.md', path.join(cwd, 'CLAUDE.md'))
    mkdirSync(path.join(cwd, '.agents/skills/good'), { recursive: true })
    writeFileSync(path.join(cwd, '.agents/skills/good/SKILL.md'), '---\nname: good\ndescription: Fine\n---\n')
    symlinkSync('/etc', path.join(cwd, '.agents/skills/etc'))
    expect(await readGuidance(cwd, undefined)).toEqual({
      instructions: [{ name: 'AGENTS.md', text: 'Use tabs.' }],
      skills: [{ name: 'good', description: 'Fine', path: '.agents/skills/good/SKILL.md' }],
    })
  })

  it('has the user’s instructions before those of the workspace, and the user’s skills after its own', async () => {
    const [cwd, home] = [folder(), folder()]
    writeFileSync(path.join(cwd, 'AGENTS.md'), 'Use tabs.')
    const skill = (at: string, description: string) => {
      mkdirSync(path.join(at, '.agents/skills/a'), { recursive: true })
      writeFileSync(
        path.join(at, '.agents/skills/a/SKILL.md'),
        `---\nname: a\ndescription: ${description}\n---\n`,
      )
    }
    skill(home, 'Theirs')
    writeFileSync(path.join(home, '.agents/AGENTS.md'), 'Be brief.')
    const theirs = await readGuidance(cwd, home)
    expect(theirs.skills).toEqual([{ name: 'a', description: 'Theirs', path: '~/.agents/skills/a/SKILL.md' }])
    expect(systemPrompt({ ...bare, ...theirs })).toMatch(
      /of the person.*Be brief.*of this workspace.*Use tabs/s,
    )
    skill(cwd, 'Its own')
    expect((await readGuidance(cwd, home)).skills.map(({ description }) => description)).toEqual(['Its own'])
  })

  it.each([
    ['---\nname: a\ndescription: "To do it"\n---\nBody', { name: 'a', description: 'To do it' }],
    ['---\ndescription: >-\n  two\n  lines\nother: x\n---\n', { name: 'folder', description: 'two lines' }],
    ['# Title\n\nBody', { name: 'folder', description: 'Title' }],
    ['', { name: 'folder', description: 'no description' }],
  ])('names a skill by its header, or by what the file has: %j', (text, skill) => {
    expect(skillOf(text, 'folder', 'at')).toEqual({ ...skill, path: 'at' })
  })
})
