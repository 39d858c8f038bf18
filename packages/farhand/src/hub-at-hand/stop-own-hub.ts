import { setTimeout as pause } from 'node:timers/promises'
import { Trouble } from '../trouble.ts'
import { whileWaiting } from '../while-waiting.ts'
import type { World } from '../world.ts'
import type { OwnHub } from './own-hub.ts'

/** Longer than a hub gives itself for what is under way. */
const mostMs = 15_000

/** Stops the hub, if it runs, and resolves when it has ended: to where it was, or null. */
export async function stopOwnHub(hub: OwnHub, world: World): Promise<{ url: string; pid: number } | null> {
  const running = await surelyRunning(hub)
  if (!running) return null
  process.kill(running.pid, 'SIGTERM')
  const since = Date.now()
  await whileWaiting('the hub is finishing what is under way', world, async () => {
    // Not for the process: where nobody buries the dead, it would seem to be there for good.
    while ((await isTaken(hub)) && Date.now() - since < mostMs)
      await pause(20, undefined, { signal: world.stop })
  })
  if (!(await isTaken(hub))) return running
  const { url, pid } = running
  throw new Trouble('failed', `The hub at ${url} (process ${pid}) does not end.`, `${hub.log} may say why.`)
}

/** A file that a killed hub has left may name a process of somebody else by now; that the data is taken proves it. */
export async function surelyRunning(hub: OwnHub): Promise<{ url: string; pid: number } | null> {
  const { running } = hub
  return running && (await isTaken(hub)) ? running : null
}

async function isTaken({ data }: OwnHub): Promise<boolean> {
  const { lockData } = await import('@farhand/hub/store/data-lock')
  const lock = lockData(data)
  if (lock === 'taken') return true
  lock.release()
  return false
}
