import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isUntouched, markedSkill, type SkillStep, skillStep } from './skill-file.ts'
import type { SkillPlace } from './skill-places.ts'

export const skillName = 'cloud-agent'

export type SkillHere = SkillPlace & { file: string; step: SkillStep }

/** What an installation would do in each place; nothing is written. */
export const planSkill = (places: readonly SkillPlace[], wanted: string): SkillHere[] =>
  places.map((place) => {
    const file = fileIn(place)
    return { ...place, file, step: skillStep(textAt(file), wanted) }
  })

/** Puts the skill there whole or not at all; a symlink in its place is replaced, not followed. */
export function writeSkill({ file }: SkillHere, wanted: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, markedSkill(wanted))
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

export type SkillThere = SkillPlace & { file: string; isUntouched: boolean }

/** The places that have the skill now. */
export const findSkill = (places: readonly SkillPlace[]): SkillThere[] =>
  places.flatMap((place) => {
    const file = fileIn(place)
    const text = textAt(file)
    return text === null ? [] : [{ ...place, file, isUntouched: isUntouched(text) }]
  })

/** Removes the skill, and its folder unless the user has put something else there. */
export function removeSkill({ file }: SkillThere): void {
  rmSync(file, { force: true })
  try {
    rmdirSync(path.dirname(file))
  } catch {
    // It holds files of the user.
  }
}

const fileIn = ({ folder }: SkillPlace) => path.join(folder, skillName, 'SKILL.md')

function textAt(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
