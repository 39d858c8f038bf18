import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HubConfig } from '@farhand/hub/config'
import { startHub } from '@farhand/hub/hub'

export type HubHere = { url: string; token: string }

/** A hub in this process with nothing in it, as its owner sees it; `stop` leaves nothing of it. */
export async function hubHere(): Promise<{ hub: HubHere; stop: () => Promise<void> }> {
  const data = await mkdtemp(path.join(tmpdir(), 'farhand-'))
  const { url, ownerToken, stop } = await startHub(HubConfig.parse({ port: 0, data, logLevel: 'silent' }))
  return {
    hub: { url, token: ownerToken! },
    async stop() {
      await stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}
