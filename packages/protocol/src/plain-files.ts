import type { FileChange } from './methods/files.ts'
import { troubleWithPath } from './trouble-with-path.ts'

const hash = /^sha256_[0-9a-f]{64}$/
const mostFiles = 1000

/**
 * The files of a `file_change` or `file_sync` whose params say them as every writer of ours does; null for anything
 * else, right or wrong, which the schema has to look at. It costs a small part of the schema and accepts nothing more.
 */
export function plainFiles(params: unknown): readonly FileChange[] | null {
  if (!isObject(params)) return null
  const { files } = params
  if (!Array.isArray(files) || files.length === 0 || files.length > mostFiles) return null
  for (const file of files) if (!isPlain(file)) return null
  return files
}

function isPlain(file: unknown): file is FileChange {
  if (!isObject(file) || typeof file.path !== 'string' || troubleWithPath(file.path) !== null) return false
  if (file.was !== undefined && file.was !== null && !(isObject(file.was) && isEntry(file.was))) return false
  if (file.action === 'deleted') return true
  if (file.action !== 'created' && file.action !== 'modified') return false
  return isEntry(file) && (file.size === undefined || (Number.isSafeInteger(file.size) && file.size >= 0))
}

function isEntry({ mode, hash: name }: Loose): boolean {
  return (
    (mode === '100644' || mode === '100755' || mode === '120000') &&
    typeof name === 'string' &&
    hash.test(name)
  )
}

// biome-ignore lint/suspicious/noExplicitAny: every field is looked at before it is used.
type Loose = Record<string, any>

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
