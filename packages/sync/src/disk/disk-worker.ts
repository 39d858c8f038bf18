import { Worker } from 'node:worker_threads'
import type { DiskStart } from './disk-messages.ts'
import { workerSource } from './worker-source.ts'

// Most objects of the thread are short-lived: a large young generation would be most of its memory.
const nurseryMb = 4

let warm: Promise<Worker> | null = null

/**
 * Starts a thread before the command knows for which folder: starting it takes as long as finding that out. The next
 * `diskWorker` uses it; a process that never needs it still ends.
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
