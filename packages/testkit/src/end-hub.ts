import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addressOf, closeRun, listAllRuns } from '@farhand/client/resources/resources'
import { expect, vi } from 'vitest'
import type { HubProcess } from './hub-process.ts'

/** Ends a hub that has few runs, with their sandboxes: these would go on for a while after a hub that was killed. */
export async function endHub(process: HubProcess): Promise<void> {
  const hub = { url: process.url, token: process.token }
  const { items } = await listAllRuns(hub)
  for (const run of items) await closeRun(hub, addressOf(run))
  const left = () => readdir(join(process.data, 'sandboxes')).catch(() => [])
  await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 60_000, interval: 100 })
  await process.kill()
}
