import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * What a sandbox must be able to read to run a program of this machine, and nothing more: for a program of an npm package
 * all packages that were installed with it, else the program alone.
 */
export function pathsOfProgram(program: string): string[] {
  if (!existsSync(program)) return []
  const real = realPlace(program)
  const packages = outermostPackages(real)
  return packages ? [packages] : [real]
}

/** The path of a program with this name in the folders of a PATH; null if it is in none. */
export function findProgram(called: string, folders: string): string | null {
  if (called.includes('/')) return existsSync(called) ? called : null
  const places = folders.split(':').filter(path.isAbsolute)
  return places.map((folder) => path.join(folder, called)).find((place) => existsSync(place)) ?? null
}

/** The real path, with all symlinks resolved; a path that does not exist is returned as it is. */
export const realPlace = (place: string) => (existsSync(place) ? realpathSync(place) : place)

/**
 * The programs and libraries of a Node installation that has a folder of its own; else the program alone. Other files beside
 * it may be private: a Node in `~/.local` lies beside the keyrings of its user.
 */
export function pathsOfNode(node: string, home: string): string[] {
  const real = realPlace(node)
  const prefix = path.dirname(path.dirname(real))
  const isOwn = existsSync(path.join(prefix, 'include', 'node', 'node.h')) && !isAbove(prefix, home)
  if (!isOwn) return [real]
  return ['bin', 'include', 'lib'].map((name) => path.join(prefix, name)).filter((place) => existsSync(place))
}

/** Farhand's own command: the built program, and the libraries that it loads. */
export function pathsOfOurs(main: string): string[] {
  const home = path.dirname(path.dirname(realPlace(main)))
  const parts = ['bin', 'build', 'dist', 'package.json'].map((name) => path.join(home, name))
  // The installed package has its libraries inside; beside it are its binaries, and all other packages of the user.
  if (existsSync(path.join(home, 'dist', 'libraries')))
    return [...parts.filter((part) => existsSync(part)), ...binariesOf(home)]
  const libraries = ancestors(home)
    .map((folder) => path.join(folder, 'node_modules'))
    .filter((folder) => existsSync(folder))
  // The first that has what is needed; those above it belong to other projects.
  const enough = libraries.findIndex((folder) => existsSync(path.join(folder, '@agentclientprotocol', 'sdk')))
  return [...parts.filter((part) => existsSync(part)), ...libraries.slice(0, enough + 1)]
}

/** The binaries that were installed for this system, at any place where npm puts them. */
function binariesOf(home: string): string[] {
  const manifest = path.join(home, 'package.json')
  const { optionalDependencies: names = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
  const { resolve } = createRequire(manifest)
  const folders = Object.keys(names).flatMap((name) =>
    (resolve.paths(name) ?? []).map((place) => path.join(place, name)),
  )
  return folders.filter((folder) => existsSync(folder))
}

function outermostPackages(file: string): string | null {
  const parts = file.split(path.sep)
  const at = parts.indexOf('node_modules')
  return at === -1 ? null : parts.slice(0, at + 1).join(path.sep)
}

const isAbove = (folder: string, below: string) =>
  folder === path.parse(folder).root || `${path.resolve(below)}${path.sep}`.startsWith(`${folder}${path.sep}`)

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}
