import { hash } from 'node:crypto'

/** What an installation does about a skill file; `ask` means that the user would lose something. */
export type SkillStep = 'write' | 'update' | 'none' | 'ask'

const beforeEnd = /\n---\n/
const mark = /\nmetadata:\n {2}farhand-digest: ([0-9a-f]{64})\n---\n/

const digestOf = (text: string) => hash('sha256', text, 'hex')

/** The text with a digest of itself in its front matter, by which later versions see whether it was changed. */
export const markedSkill = (text: string): string =>
  text.replace(beforeEnd, `\nmetadata:\n  farhand-digest: ${digestOf(text)}\n---\n`)

/** Whether we wrote this file and it is as we wrote it, in whichever version; git may have changed its line ends. */
export function isUntouched(there: string): boolean {
  const text = there.replaceAll('\r\n', '\n')
  const digest = mark.exec(text)?.[1]
  return digest !== undefined && digestOf(text.replace(mark, '\n---\n')) === digest
}

/** What to do where `there` is the text of the file, or null if there is no file. */
export function skillStep(there: string | null, wanted: string): SkillStep {
  if (there === null) return 'write'
  if (there.replaceAll('\r\n', '\n') === markedSkill(wanted)) return 'none'
  return isUntouched(there) ? 'update' : 'ask'
}
