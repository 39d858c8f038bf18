import { besidePrefix } from './stage.ts'

/** What is never looked at: git's own files, and ours at the top and beside what is being written (S9). */
export function isNever(folder: string, name: string): boolean {
  if (name.charCodeAt(0) !== 46) return false
  const lower = name.toLowerCase()
  return lower === '.git' || (folder === '' && lower === '.farhand') || lower.startsWith(besidePrefix)
}
