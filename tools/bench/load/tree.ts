import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@farhand/kit/seeded-random'
import { freshText } from './fresh-text.ts'

export type TreeFile = { path: string; bytes: number }
export type Tree = { folders: string[]; files: TreeFile[] }

/** As many files and about as many bytes as a grown web project with its dependencies: 13,500 files, 149 MB. */
export const bigTree = { files: 13_500, folders: 1_500, bytes: 149e6 }
export const smallTree = { files: 100, folders: 10, bytes: 300e3 }

/** Plans a tree, the same for the same numbers: most files are small, a few hold most of the bytes. */
export function planTree(size: { files: number; folders: number; bytes: number }): Tree {
  const next = seededRandom(size.files)
  const folders: string[] = []
  for (let n = 0; n < size.folders; n++) {
    // Some lie at the top, most inside one that came before, as in any grown project.
    const parent = n > 4 && next() < 0.85 ? folders[Math.floor(next() * n)]! : ''
    const depth = parent.split('/').length
    folders.push(parent === '' || depth > 7 ? `folder-${n}` : `${parent}/folder-${n}`)
  }
  const weights = Array.from({ length: size.files }, () => Math.exp(1.7 * normal(next)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const files = weights.map((weight, n) => ({
    path: `${folders[n % size.folders]}/file-${n}.txt`,
    bytes: Math.max(1, Math.round((weight / sum) * size.bytes)),
  }))
  return { folders, files }
}

export function writeTree(root: string, tree: Tree): void {
  const next = seededRandom(tree.files.length)
  for (const folder of tree.folders) mkdirSync(join(root, folder), { recursive: true })
  for (const file of tree.files) writeFileSync(join(root, file.path), freshText(file.bytes, next))
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}
