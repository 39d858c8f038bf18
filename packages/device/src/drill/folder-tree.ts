import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'

/**
 * Every file of a folder as `<mode> <hash> <path>`, sorted. It reads the disk without the sync engine, which it checks.
 */
export function folderTree(root: string): string[] {
  const lines: string[] = []
  const walk = (folder: string) => {
    for (const name of readdirSync(path.join(root, folder))) {
      // These are never synced.
      if (['.git', '.farhand'].includes(name.toLowerCase())) continue
      const inside = folder === '' ? name : `${folder}/${name}`
      const place = path.join(root, inside)
      const stats = lstatSync(place)
      if (stats.isDirectory()) walk(inside)
      else if (stats.isSymbolicLink()) lines.push(`120000 ${hashOf(readlinkSync(place, 'buffer'))} ${inside}`)
      else if (stats.isFile())
        lines.push(`${stats.mode & 0o100 ? '100755' : '100644'} ${hashOf(readFileSync(place))} ${inside}`)
    }
  }
  walk('')
  return lines.sort()
}

const hashOf = (bytes: Uint8Array) => `sha256_${createHash('sha256').update(bytes).digest('hex')}`

/** One hash for a whole tree: equal hashes mean equal bytes, modes and links. */
export const treeHash = (lines: readonly string[]) =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)

/** Lines that not all trees have; only the first few. */
export function differences(trees: Readonly<Record<string, readonly string[]>>, most = 6): string[] {
  const said: string[] = []
  const names = Object.keys(trees)
  const sets = new Map(names.map((name) => [name, new Set(trees[name])]))
  for (const line of new Set(Object.values(trees).flat())) {
    const has = names.filter((name) => sets.get(name)?.has(line))
    if (has.length < names.length) said.push(`${line} (only ${has.join(' and ')})`)
  }
  return said.length > most ? [...said.slice(0, most), `and ${said.length - most} more`] : said
}
