import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Instructions, Skill } from './system-prompt.ts'
import { pathInside } from './tools/path-inside.ts'
import { readText } from './tools/read-text.ts'

const instructionFiles = ['AGENTS.md', 'CLAUDE.md']
const ownInstructions = '.agents/AGENTS.md'
const skillFolder = '.agents/skills'
const mostChars = 40_000

/**
 * The instructions and skills of the user's home, and then of the workspace. Files that cannot be read, or lead
 * outside of the two, are left out.
 */
export async function readGuidance(
  cwd: string,
  home: string | undefined,
): Promise<{ instructions: Instructions[]; skills: Skill[] }> {
  const instructions: Instructions[] = []
  const own = home ? (await textOf(home, ownInstructions))?.slice(0, mostChars) : null
  if (own?.trim()) instructions.push({ name: `~/${ownInstructions}`, text: own, by: 'person' })
  for (const name of instructionFiles) {
    const text = (await textOf(cwd, name))?.slice(0, mostChars)
    // One file is often a link to the other.
    if (text?.trim() && !instructions.some((other) => other.text === text)) instructions.push({ name, text })
  }
  const skills = await skillsIn(cwd, '')
  // Of two skills with one name, that of the workspace counts.
  const others = home ? await skillsIn(home, '~/') : []
  const names = new Set(skills.map(({ name }) => name))
  return { instructions, skills: [...skills, ...others.filter(({ name }) => !names.has(name))] }
}

async function skillsIn(folder: string, called: string): Promise<Skill[]> {
  const names = await readdir(path.join(folder, skillFolder)).catch(() => [])
  const skills: Skill[] = []
  for (const name of names.toSorted()) {
    const at = `${skillFolder}/${name}/SKILL.md`
    const text = await textOf(folder, at)
    if (text !== null) skills.push(skillOf(text, name, called + at))
  }
  return skills
}

const textOf = (cwd: string, name: string) =>
  pathInside(cwd, name)
    .then((file) => readText(file, name))
    .catch(() => null)

/** Reads a skill from the header of its file; without one, from its folder name and first line. */
export function skillOf(text: string, folder: string, at: string): Skill {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)
  const field = (name: string) => {
    const found = new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t]+.*)*)`, 'm').exec(head?.[1] ?? '')?.[1]
    return found
      ?.replace(/^[>|][+-]?(?=\s)/, '')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2')
  }
  const body = head ? text.slice(head[0].length) : text
  const firstLine = body.split('\n').find((line) => line.trim() !== '')
  const description = field('description') || firstLine?.replace(/^#+\s*/, '').trim() || 'no description'
  return { name: field('name') || folder, description: description.slice(0, 500), path: at }
}
