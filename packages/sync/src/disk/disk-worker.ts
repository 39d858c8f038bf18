import { Worker } from 'node:worker_threads'
import type { DiskStart } from './disk-messages.ts'
import { workerSource } from './worker-source.ts'

// Most of what the thread makes is short-lived, and a large nursery for it would be most of its memory.
const nurseryMb = 4

let warm: Promise<Worker> | null = null

/**
 * Begins a thread before anyone knows for which folder: it takes as long to begin as everything else a command does
 * before it knows. The next `diskWorker` uses it; a process that does without ends all the same.
 */
export function warmDiskWorker(): void {
  warm ??= newWorker().then((worker) => {
    worker.unref()
    return worker
  })
  warm.catch(() => {})
}

/** A thread that watches and changes this folder. */
export async function diskWorker(start: DiskStart): Promise<Worker> {
  const begun = warm ?? newWorker()
  warm = null
  const worker = await begun
  worker.ref()
  worker.postMessage(start)
  return worker
}

async function newWorker(): Promise<Worker> {
  return new Worker(await workerSource(), {
    eval: true,
    workerData: { startedFrom: import.meta.url },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: nurseryMb },
  })
}
