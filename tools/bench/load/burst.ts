import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allThere, differing, gone } from './arrival.ts'
import { freshText } from './fresh-text.ts'

const folders = 200
const perFolder = 5
const bytes = 4_096
const limitMs = 30_000

/**
 * Writes 1,000 files into 200 new folders without a pause; gives the milliseconds from the first write until the last
 * of them is there, and from their deletion until the last of them is gone. A file that is lost, differs or stays
 * throws. Both folders hold what they held before when this resolves.
 */
export async function burst(from: string, to: string, name: string): Promise<{ ms: number; goneMs: number }> {
  const files = Array.from({ length: folders * perFolder }, (_, n) => ({
    path: `${name}/folder-${Math.floor(n / perFolder)}/file-${n % perFolder}.txt`,
    bytes,
    content: freshText(bytes, Math.random),
  }))
  const started = performance.now()
  for (let folder = 0; folder < folders; folder++) {
    mkdirSync(join(from, name, `folder-${folder}`), { recursive: true })
    for (const file of files.slice(folder * perFolder, (folder + 1) * perFolder)) {
      writeFileSync(join(from, file.path), file.content)
    }
  }
  const ms = (await allThere(to, files, { limitMs })) - started
  const wrong = differing(from, to, files)
  if (wrong > 0) throw new Error(`${wrong} files arrived with other bytes`)
  const deleted = performance.now()
  rmSync(join(from, name), { recursive: true })
  for (const file of files) await gone(join(to, file.path), limitMs)
  return { ms, goneMs: performance.now() - deleted }
}
