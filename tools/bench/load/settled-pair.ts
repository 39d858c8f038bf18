import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderSync, RunningSync } from '../peers/folder-sync.ts'
import { allThere } from './arrival.ts'
import { spreadFiles } from './edits.ts'
import { type Tree, writeTree } from './tree.ts'

export type Pair = { a: string; b: string; files: string[]; running: RunningSync }

/** Starts it on a folder with the tree and an empty one, and waits until both have it. */
export async function settledPair(folder: string, name: string, sync: FolderSync, tree: Tree): Promise<Pair> {
  const [a, b] = [join(folder, `${name}-a`), join(folder, `${name}-b`)]
  for (const side of [a, b]) mkdirSync(side)
  writeTree(a, tree)
  const running = await sync.start(a, b)
  await allThere(b, tree.files, { limitMs: 120_000, everyMs: 20 })
  return { a, b, files: spreadFiles(tree.files, 20), running }
}
