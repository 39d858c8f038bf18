import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import ignore, { type Ignore } from 'ignore'

export type Found = { path: string; isFolder: boolean; isLink: boolean }

const ignoreFiles = ['.gitignore', '.ignore', '.farhandignore']
const never = new Set(['.git', '.farhand', 'node_modules'])

type Rules = { folder: string; rules: Ignore }

/**
 * Lists a folder of the workspace by name, without ignored files. Links are listed and not followed; paths are
 * relative to `cwd`, with slashes.
 */
export async function* walk(cwd: string, start: string, most: { depth: number }): AsyncGenerator<Found> {
  const above = await rulesAbove(cwd, start)
  yield* walkFolder(cwd, start, 1, above, most)
}

async function* walkFolder(
  cwd: string,
  folder: string,
  depth: number,
  above: readonly Rules[],
  most: { depth: number },
): AsyncGenerator<Found> {
  const rules = [...above, ...(await rulesOf(cwd, folder))]
  const entries = await readdir(path.join(cwd, folder), { withFileTypes: true }).catch(() => [])
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const at = folder === '' ? entry.name : `${folder}/${entry.name}`
    const isFolder = entry.isDirectory()
    if (never.has(entry.name) || isIgnored(at, isFolder, rules)) continue
    yield { path: at, isFolder, isLink: entry.isSymbolicLink() }
    if (isFolder && depth < most.depth) yield* walkFolder(cwd, at, depth + 1, rules, most)
  }
}

async function rulesAbove(cwd: string, start: string): Promise<Rules[]> {
  const parts = start.split('/').filter(Boolean)
  const folders = parts.map((_, at) => parts.slice(0, at).join('/'))
  return (await Promise.all(folders.map((folder) => rulesOf(cwd, folder)))).flat()
}

async function rulesOf(cwd: string, folder: string): Promise<Rules[]> {
  const texts = await Promise.all(ignoreFiles.map((name) => rulesIn(path.join(cwd, folder, name))))
  const text = texts.filter(Boolean).join('\n')
  return text === '' ? [] : [{ folder, rules: ignore().add(text) }]
}

async function rulesIn(file: string): Promise<string> {
  try {
    // Only a regular file: reading a pipe would block.
    return (await stat(file)).isFile() ? await readFile(file, 'utf8') : ''
  } catch {
    // Most folders have none, and an unreadable one ignores nothing.
    return ''
  }
}

// The nearest ignore file with a matching rule decides, as in git.
function isIgnored(at: string, isFolder: boolean, all: readonly Rules[]): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const below = folder === '' ? at : at.slice(folder.length + 1)
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below)
    if (ignored || unignored) return ignored
  }
  return false
}
