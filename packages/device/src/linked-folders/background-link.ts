import { sleep } from '@farhand/kit/sleep'
import type { DeviceId } from '@farhand/protocol/wire/ids'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { callDevice } from '../device-process/call-device.ts'
import { type DeviceRequest, type LinkEnd, LinkEvent } from '../device-process/device-protocol.ts'
import { linkEnd } from '../device-process/link-end.ts'
import type { KnownRun } from '../known-runs/known-runs.ts'
import { linkTo } from './link-to.ts'
import { refuseNeighbours } from './refuse-neighbours.ts'

export type LinkProgress = { sent: number; toSend: number }

/** A link that the device process keeps in sync, as its command sees it. */
export type RunningLink<Why> = {
  /** The device as which the folder writes. */
  device: Promise<DeviceId>
  /** Resolves when folder and run are the same for the first time. */
  inStep: Promise<{ files: number }>
  /** Resolves to null when the link ends with its run, else to what `whyEnded` has made of its end. */
  ended: Promise<Why | null>
}

type Following<Why> = {
  state: StateFolder
  /** Has the device process run; null if it cannot be started. */
  ensureDevice: () => Promise<unknown | null>
  /** Makes an error of an end, with which `device` and `inStep` reject. */
  whyEnded: (end: LinkEnd | { is: 'not-started' }) => Why
}

export type LinkStart<Why> = Following<Why> & {
  /** Flags of the link, also whenever it is started again. */
  words?: readonly string[]
  /** Flags for this start only. */
  once?: readonly string[]
  onProgress?: (how: LinkProgress) => void
}

type Linked = Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>

/** Has the device process keep a folder in sync with its run, also after this command and its terminal have ended. */
export function startBackgroundLink<Why>(
  { url, token, at, workspace }: Linked,
  { words = [], once = [], onProgress = () => {}, ...following }: LinkStart<Why>,
): RunningLink<Why> {
  const folders = new BackgroundLinks(following.state)
  try {
    refuseNeighbours(following.state, workspace)
    // The run before what is wanted of it: if all processes die here, the next one must not go on with the folder's last run.
    if (folders.holder(workspace) === null) linkTo(workspace, { url, token, at }, following.state)
  } catch {
    // The thread that is to keep it in sync finds the same, and says it.
  }
  // Written down first: if this process dies, the device process goes on with it.
  folders.set(workspace, { is: 'live', since: Date.now(), words: [...words] })
  const request = { ask: 'link' as const, folder: workspace, run: { url, token, at }, once: [...once] }
  return followed(workspace, request, following, onProgress)
}

/** The link of a folder that is kept in sync in the background already; null if it is not. */
export function followBackgroundLink<Why>(
  { workspace }: Pick<KnownRun, 'workspace'>,
  following: Following<Why>,
): RunningLink<Why> | null {
  const link = following.state.find(workspace)
  if (!link || new BackgroundLinks(following.state).find(workspace)?.is !== 'live') return null
  const { ended } = followed(workspace, null, following, () => {})
  return { device: Promise.resolve(link.device), inStep: Promise.resolve({ files: 0 }), ended }
}

type LinkRequest = Extract<DeviceRequest, { ask: 'link' }>
const againMs = 50
/** A process that gives way may take as long to end; one that refuses its commands for longer is of no use. */
const refusedMs = 20_000

function followed<Why>(
  folder: string,
  first: Omit<LinkRequest, 'v'> | null,
  { state, ensureDevice, whyEnded }: Following<Why>,
  onProgress: (how: LinkProgress) => void,
): RunningLink<Why> {
  const folders = new BackgroundLinks(state)
  const device = promised<DeviceId>()
  const inStep = promised<{ files: number }>()
  let isAwaited = first !== null
  /** Resolves when one of both hangs up: to the end of the link, or to null if it goes on without this connection. */
  const heardOut = (request: Omit<LinkRequest, 'v'> | null) =>
    new Promise<LinkEnd | null>((resolve) => {
      const call = callDevice(state.root, request ?? { ask: 'follow', folder }, LinkEvent, {
        ended: () => resolve(null),
        heard(event) {
          if (event.is === 'linked') device.resolve(event.device)
          if (event.is === 'progress') onProgress(event)
          if (event.is === 'ended') {
            resolve(event.end)
            call?.end()
          }
          if (event.is !== 'in-step') return
          inStep.resolve({ files: event.files })
          // From here on only the end is heard, and a command that has nothing else to do need not wait for that.
          isAwaited = false
          call?.socket.unref()
        },
      })
      if (!isAwaited) call?.socket.unref()
      if (!call) resolve(null)
    })
  const toTheEnd = async () => {
    let refusedSince = performance.now()
    for (let request = first; ; request = isAwaited ? first : null) {
      const device = await ensureDevice()
      const since = performance.now()
      if (device === null || since - refusedSince > refusedMs) return { is: 'not-started' as const }
      const end = (await heardOut(request)) ?? linkEnd(folder, folders)
      if (end) return end
      if (performance.now() - since > againMs * 10) refusedSince = performance.now()
      // The device process was killed, or has given way to a newer one.
      await sleep(againMs)
    }
  }
  const ended = toTheEnd().then((end) => {
    const why = whyEnded(end)
    for (const one of [device, inStep]) one.reject(why)
    return end.is === 'run-closed' ? null : why
  })
  return { device: device.promise, inStep: inStep.promise, ended }
}

function promised<Value>() {
  let resolve: (value: Value) => void = () => {}
  let reject: (why: unknown) => void = () => {}
  const promise = new Promise<Value>((...both) => {
    ;[resolve, reject] = both
  })
  // A caller that waits for another one must not fail because this one rejects.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
