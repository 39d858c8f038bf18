import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Arrivals } from './arrival.ts'
import { freshText } from './fresh-text.ts'

export type Edits = {
  from: string
  to: string
  /** Paths to be edited, in both folders already. */
  files: readonly string[]
  count: number
  /** Pauses between edits are random, up to this long, so that no clock of another program is in step with ours. */
  pauseMs: number
  limitMs: number
}

const bytes = 2_048

/** Changes one file after the other and waits for each; gives the milliseconds from before the write to the arrival. */
export async function editLatencies({ from, to, files, count, pauseMs, limitMs }: Edits): Promise<number[]> {
  const arrivals = new Arrivals(to, files)
  const latencies: number[] = []
  try {
    for (let n = 0; n < count; n++) {
      await wait(5 + Math.random() * pauseMs)
      const file = files[Math.floor(Math.random() * files.length)]!
      const content = freshText(bytes, Math.random)
      const arrived = arrivals.next(file, content, limitMs)
      const started = performance.now()
      writeFileSync(join(from, file), content)
      latencies.push((await arrived) - started)
    }
    return latencies
  } finally {
    arrivals.close()
  }
}

/** A few files of the tree, each in a folder of its own, spread over all of it. */
export function spreadFiles(files: readonly { path: string }[], count: number): string[] {
  const folders = new Map(files.map(({ path }) => [dirname(path), path]))
  const all = [...folders.values()]
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, n) => n % step === 0).slice(0, count)
}
