import { readFileSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshText } from './fresh-text.ts'

export type StampedEdits = {
  /** Paths to be edited, there already. */
  files: readonly string[]
  count: number
  limitMs: number
}

const bytes = 2_048
// Long enough for a change to have arrived before the next one is made, and in step with no other program's clock.
const pauses = { leastMs: 25, mostMs: 65 }

/**
 * A program that changes files in the folder where it is run, one after the other, and writes into each when it did so,
 * in milliseconds by the clock of the machine: its folder may be writable only by this program.
 */
export function stampingProgram(files: readonly string[], count: number): string {
  const rest = freshText(bytes - 32, Math.random)
    .toString('latin1')
    .replace(/[^\w]/g, '.')
  return `
    const { writeFileSync } = require('node:fs')
    const files = ${JSON.stringify(files)}, rest = ${JSON.stringify(rest)}
    let left = ${count}
    const edit = () => {
      const file = files[Math.floor(Math.random() * files.length)]
      writeFileSync(file, String(performance.timeOrigin + performance.now()).padEnd(32) + left + rest)
      if (--left > 0) setTimeout(edit, ${pauses.leastMs} + Math.random() * ${pauses.mostMs - pauses.leastMs})
    }
    setTimeout(edit, 200)`
}

/** Has the program run and gives the milliseconds from before each of its writes to the arrival in this folder. */
export function stampedLatencies(
  to: string,
  { files, count, limitMs }: StampedEdits,
  run: (program: string) => Promise<unknown>,
): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const seen = new Map<string, number>()
    const look = (file: string) => {
      const now = performance.timeOrigin + performance.now()
      const stamp = stampIn(join(to, file))
      if (stamp === null || seen.has(stamp)) return
      seen.set(stamp, now - Number(stamp))
      if (seen.size === count) end()
    }
    const watchers = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
      watch(join(to, folder), (_, name) => name !== null && look(join(folder, name))),
    )
    const late = setTimeout(() => end(`${seen.size} of ${count} changes arrived in time`), limitMs)
    const end = (trouble?: string) => {
      clearTimeout(late)
      for (const watcher of watchers) watcher.close()
      if (trouble === undefined) resolve([...seen.values()])
      else reject(new Error(trouble))
    }
    run(stampingProgram(files, count)).catch((error) => end(String(error)))
  })
}

function stampIn(file: string): string | null {
  try {
    return /^\d{13}(\.\d+)?(?= )/.exec(readFileSync(file, 'latin1'))?.[0] ?? null
  } catch {
    return null // between two versions there may be none
  }
}
