import { hostname } from 'node:os'
import { basename } from 'node:path'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { beginRunner, endRunner, initRun, runStatus } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { DeviceLife } from '@farhand/sync/hub/device-life'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { FarSide } from './far-side.ts'
import { troubleAtBeginning } from './hub-full.ts'
import type { SayOnce } from './skip-reports.ts'

type Given = {
  user: Hub
  state: StateFolder
  stop: AbortSignal
  over: AbortSignal
  on: (note: SyncNote) => void
  /** Resolves when all changes in the folder up to now are in the run. */
  sent: () => Promise<void>
}

/** The name of a folder for users of its run. */
export const nameOf = (folder: string) => `${basename(folder)} on ${hostname()}`.slice(0, 200)

/** Waits for the hub, and takes the role in which the folder writes. */
export const takeRole = (link: Link, given: Given) =>
  link.wins === 'disk' ? asDevice(link, given) : asRunner(link, given)

async function asDevice(link: Link, { user, state, stop, over, on }: Given) {
  const { device, folder, at } = link
  const being = { device, name: nameOf(folder), memory: state.memoryOf(folder, at) }
  const life = new DeviceLife(being, Date.now())
  await life.begin(user, at, waiting(stop, on))
  const say: SayOnce = async (event, key) => {
    const as = { ...user, deviceId: device, deviceLife: life.number }
    await post(as, at, event, { signal: over, patienceMs: Number.POSITIVE_INFINITY, key })
  }
  const role = { is: 'device' as const, deviceId: device, life }
  return { hub: user, role, say, farSide: null, end: () => life.end() }
}

/** The far side takes the runner's place: the runner before it is fenced. */
async function asRunner(link: Link, { user, state, stop, over: signal, on, sent }: Given) {
  const { at, generations: earlier } = link
  const { Producer } = await import('@farhand/client/post/producer')
  const { token, generation } = await beginRunner(user, at, {}, waiting(stop, on))
  // Saved before anything is written: after a crash the folder must recognize its own events.
  state.save({ ...link, generations: [...earlier, generation].slice(-1000) })
  const hub: Hub = { ...user, token }
  // Ended with the sync: its pending events would keep the process alive, and be sent for a folder that may be gone.
  const producer = new Producer(hub, at, { id: 'runner', epoch: generation, signal })
  const reports = {
    sent,
    done: () => endRunner(hub, at, { signal }),
    alive: () => runStatus(hub, at, { signal, patienceMs: 0 }),
  }
  const role = { is: 'runner' as const, producer, generation, earlier }
  return { hub, role, say: null, farSide: new FarSide(reports, signal), end() {} }
}

const waiting = (signal: AbortSignal, on: Given['on']) => ({
  signal,
  patienceMs: Number.POSITIVE_INFINITY,
  onTrouble: troubleAtBeginning(on),
})

/** Changes the size limit of the run's files. */
export async function setSizeLimit(
  hub: Hub,
  { at }: Link,
  maxFileBytes: number,
  signal: AbortSignal,
): Promise<void> {
  await post(hub, at, event('sync_settings', { maxFileBytes }), { signal })
}

/** Opens a closed run again. */
export async function reopen(hub: Hub, { at }: Link, signal: AbortSignal): Promise<void> {
  await initRun(hub, at, { signal })
}
