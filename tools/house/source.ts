import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** One file of ours: its path from the root of the repository, with forward slashes, and what it says. */
export type Source = { path: string; text: string }

/** Every file of ours that is code, in packages and tools. */
export function sourcesUnder(root: string): Source[] {
  return ['packages', 'tools'].flatMap((folder) => sourcesIn(root, folder))
}

function sourcesIn(root: string, folder: string): Source[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(root, at)
    if (!isOurs(at)) return []
    return [{ path: at, text: readFileSync(path.join(root, at), 'utf8') }]
  })
}

/** Whether a path in packages or tools is that of code. */
export const isOurs = (path: string): boolean => /\.(ts|tsx|mjs|cjs)$/.test(path)

/** Where a source lives: package `hub`, room `log`; a file directly in `src` has no room. Null outside packages. */
export function placeOf(source: Source): { package: string; room: string | null } | null {
  const [, name, rest] = /^packages\/([^/]+)\/src\/(.+)$/.exec(source.path) ?? []
  if (name === undefined || rest === undefined) return null
  const [room] = rest.split('/')
  return { package: name, room: rest.includes('/') && room !== undefined ? room : null }
}

/** Tests, and what only they load: the contract of a port, a thing set up to be tested (`hub-under-test.ts`). */
export const isTest = (source: Source): boolean => /(\.test|\.contract|-under-test)\.tsx?$/.test(source.path)

/** Whether a file is there for tests only. */
export const isForTests = (source: Source): boolean =>
  isTest(source) || /^packages\/(testkit|e2e)\//.test(source.path)
