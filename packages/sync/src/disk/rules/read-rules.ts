import { readFileSync, statSync } from 'node:fs'
import { readSmallFile } from '../../state/read-small-file.ts'
import { mostRuleBytes } from './ignore-rules.ts'

/** The text of an ignore file; null if there is none to read. Like git, which does not follow a link from here either. */
export const readRules = (file: string): string | null => readSmallFile(file, mostRuleBytes)

/** The text of the user's ignore file for all repositories; empty if there is none. It may be a link, as git has it too. */
export function readExcludes(file: string | undefined): string {
  if (file === undefined) return ''
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= mostRuleBytes ? readFileSync(file, 'utf8') : ''
  } catch {
    // Most users have none.
    return ''
  }
}
