import type { Run } from '@farhand/protocol/schemas/api'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { eventsAfter, type RunCache } from './run-cache.ts'

/** A cache in memory, for browsers without storage. */
export function memoryRunCache(): RunCache {
  const logs = new Map<string, SeenEvent[]>()
  const runs = new Map<string, Run>()
  return {
    async read(run) {
      return [...(logs.get(run) ?? [])]
    },
    async add(run, events) {
      const log = logs.get(run) ?? []
      logs.set(run, [...log, ...eventsAfter(log.at(-1)?.id ?? 0, events)])
    },
    async loadRun(run) {
      return runs.get(run) ?? null
    },
    async saveRun(run) {
      runs.set(run.id, run)
    },
    async forget(run) {
      logs.delete(run)
      runs.delete(run)
    },
  }
}
