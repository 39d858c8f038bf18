import { readFileSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TreeFile } from './tree.ts'

/** Files that are waited for, one at a time. Nothing is polled: a spinning observer would take a core from the observed. */
export class Arrivals {
  readonly #root: string
  readonly #watchers = new Map<string, ReturnType<typeof watch>>()
  #look: (name: string) => void = () => {}

  constructor(root: string, files: readonly string[]) {
    this.#root = root
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      this.#watchers.set(
        folder,
        watch(join(root, folder), (_, name) => name !== null && this.#look(join(folder, name))),
      )
    }
  }

  /** When the file held exactly these bytes, as `performance.now()` gives it; rejects after `limitMs`. */
  next(file: string, content: Buffer, limitMs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`a change of ${basename(file)} did not arrive within ${limitMs / 1000} s`)),
        limitMs,
      )
      this.#look = (name) => {
        if (name !== file) return
        const now = performance.now()
        if (!holds(join(this.#root, file), content)) return
        clearTimeout(late)
        this.#look = () => {}
        resolve(now)
      }
    })
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
  }
}

function holds(file: string, content: Buffer): boolean {
  try {
    return readFileSync(file).equals(content)
  } catch {
    return false // between two versions there may be none
  }
}

/**
 * Waits until every file is there in its full length. Each is looked for until it is found and then no more, so that
 * the looking costs next to nothing. Rejects with how many are missing, or when the signal says there is no hope.
 */
export async function allThere(
  root: string,
  files: readonly TreeFile[],
  { limitMs, everyMs = 1, signal }: { limitMs: number; everyMs?: number; signal?: AbortSignal },
): Promise<number> {
  const deadline = performance.now() + limitMs
  for (let at = 0; at < files.length; ) {
    signal?.throwIfAborted()
    if (isThere(root, files[at]!)) at++
    else if (performance.now() < deadline) await wait(everyMs)
    else {
      const missing = files.filter((file) => !isThere(root, file)).length
      throw new Error(`${missing} of ${files.length} files did not arrive within ${limitMs / 1000} s`)
    }
  }
  return performance.now()
}

function isThere(root: string, { path, bytes }: TreeFile): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.size === bytes
}

/** Waits until nothing is left under that name. */
export async function gone(path: string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  while (statSync(path, { throwIfNoEntry: false }) !== undefined) {
    if (performance.now() > deadline)
      throw new Error(`a deleted ${basename(path)} was still there after ${limitMs / 1000} s`)
    await wait(5)
  }
}

/** How many of the files differ between the two folders, byte by byte. */
export function differing(a: string, b: string, files: readonly { path: string }[]): number {
  return files.filter(({ path }) => !holds(join(b, path), readFileSync(join(a, path)))).length
}
