import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

/** One hash for some words and for these files: their paths, contents, and whether they can be run. */
export async function hashFiles(
  root: string,
  paths: readonly string[],
  words: readonly string[] = [],
): Promise<string> {
  const all = createHash('sha256').update(JSON.stringify(words))
  for (const one of paths) {
    const place = path.join(root, one)
    const stat = lstatSync(place)
    const content = createHash('sha256')
    if (stat.isSymbolicLink()) content.update(readlinkSync(place))
    else if (stat.isFile()) await pipeline(createReadStream(place), content)
    const kind = stat.isSymbolicLink() ? 'link' : stat.mode & 0o111 ? 'program' : 'file'
    all.update(JSON.stringify([one, kind, content.digest('hex')]))
  }
  return all.digest('hex')
}
