import type { FileChange } from '../methods/files.ts'
import { isObject } from '../wire/is-object.ts'
import { pathProblem } from '../wire/path-problem.ts'

const hash = /^sha256_[0-9a-f]{64}$/
const mostFiles = 1000

/**
 * A fast check before the schema: the files of a `file_change` or `file_sync` in the form that Farhand's own programs send;
 * null for every other value, valid or not, which the schema has to check. It accepts nothing that the schema refuses.
 */
export function plainFiles(params: unknown): readonly FileChange[] | null {
  if (!isObject(params)) return null
  const { files } = params
  if (!Array.isArray(files) || files.length === 0 || files.length > mostFiles) return null
  for (const file of files) if (!isPlain(file)) return null
  return files
}

function isPlain(file: unknown): file is FileChange {
  if (!isObject(file)) return false
  const { path, action, size, was } = file
  if (typeof path !== 'string' || pathProblem(path) !== null) return false
  if (was !== undefined && was !== null && !(isObject(was) && isEntry(was))) return false
  if (action === 'deleted') return true
  if (action !== 'created' && action !== 'modified') return false
  return isEntry(file) && (size === undefined || isSize(size))
}

function isEntry({ mode, hash: name }: Fields): boolean {
  return (
    (mode === '100644' || mode === '100755' || mode === '120000') &&
    typeof name === 'string' &&
    hash.test(name)
  )
}

const isSize = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

type Fields = Readonly<Record<string, unknown>>
