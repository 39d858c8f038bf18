import { randomUUID } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isWithin } from '@farhand/sync/state/state-folder'
import { Trouble } from '../trouble/trouble.ts'
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
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, markedSkill(wanted), { flag: 'wx' })
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

function fileIn({ folder, project }: SkillPlace): string {
  const file = path.join(folder, skillName, 'SKILL.md')
  if (project !== null && !isWithin(realpathSync(project), realParent(file)))
    throw new Trouble(
      'failed',
      `${path.dirname(file)} leads out of the project by a symlink.`,
      'Look where it leads; without --project the skill is put into your home.',
    )
  return file
}

/** The real path of the deepest folder around this file that exists. */
function realParent(file: string): string {
  const parent = path.dirname(file)
  try {
    lstatSync(parent)
  } catch (error) {
    if (!isMissing(error)) throw error
    return realParent(parent)
  }
  // A symlink to nothing is refused: a folder made through it would be elsewhere.
  return realpathSync(parent)
}

const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** What is no file, such as a pipe, is not read, and has no text of ours. */
function textAt(file: string): string | null {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : ''
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
