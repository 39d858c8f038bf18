import type { Hub } from '@farhand/client/requests/hub'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import { lockHolder } from '@farhand/sync/state/lock-state'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { HubAccess } from '../account/find-hub.ts'
import { type BackgroundLink, BackgroundLinks } from '../device-process/background-links.ts'
import { askDevice, folderStatuses } from '../device-process/call-device.ts'
import { deviceFolder } from '../device-process/device-folder.ts'
import type { DeviceAnswer, LinkStatus } from '../device-process/device-protocol.ts'
import { allRuns } from '../find-run/all-runs.ts'
import { leftOutPaths } from '../first-look/user-rules.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { askHub } from '../local-hub/ask-hub.ts'
import { LocalHub } from '../local-hub/local-hub.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'

export type HubState = { url: string; isOwn: boolean; answer: 'knows-us' | 'knows-us-not' | 'silent' }

export type FolderState = Pick<Link, 'folder' | 'url' | 'at'> & {
  /** The process that has the folder, and its status. */
  pid: number | null
  now: LinkStatus | null
  kept: BackgroundLink | null
  /** How often in a row its thread died, and when it is started again. */
  deaths: { count: number; nextAt: number } | null
  /** Paths that the user chose not to send. */
  leftOut?: readonly string[]
  /** Whether that process is the run's runner: the agent works in this folder. */
  isHosted?: boolean
  /** Whether that is the device process, and it does not answer. */
  isSilent?: boolean
  isClosed?: boolean
}

/** The hubs, linked folders and open runs that this machine knows. */
export type KnownHere = {
  device: DeviceAnswer | null
  hubs: HubState[]
  folders: FolderState[]
  /** The open runs of the hubs that answer; the newest of each. */
  runs: (ListedRun & { hub: string })[]
}

const hubMs = 3_000
const mostRuns = 50

type Given = {
  /** A hub that the user names, which need not be known here. */
  named: HubAccess | null
  /** Has the device process run; null if it cannot be started. */
  ensureDevice: () => Promise<DeviceAnswer | null>
  stop: AbortSignal
}

/** Asks the device process, the hubs and the disk. Has that process run if a folder is to be kept in sync. */
export async function readKnownHere(
  state: StateFolder,
  { named, ensureDevice, stop }: Given,
): Promise<KnownHere> {
  const folders = new BackgroundLinks(state)
  const runs = new KnownRuns(state.root)
  const isNeeded = folders.all().some(({ kept }) => kept.is === 'live')
  const [device, asked] = await Promise.all([
    isNeeded ? ensureDevice() : askDevice(state.root, { ask: 'hello' }),
    Promise.all(knownHubs(named, state).map((hub) => askOne(hub, state, stop))),
  ])
  const statuses = device && (await folderStatuses(state.root))
  const standings = state.links().map(({ folder, url, at }): FolderState => {
    const deaths = device?.deaths[folder] ?? null
    const [pid, kept] = [folders.holder(folder), folders.find(folder)]
    const now = statuses?.[folder] ?? folders.status(folder)
    const leftOut = leftOutPaths(state, folder)
    const isHosted = pid !== null && runs.holder(at.run) === pid
    const isClosed = asked.some(({ closed }) => closed.has(at.run))
    const standing = { folder, url, at, pid, now, kept, deaths: pid === null ? deaths : null }
    const isSilent = !device && pid !== null && pid === lockHolder(deviceFolder(state.root))
    return { ...standing, leftOut, isHosted, isSilent, isClosed }
  })
  return {
    device,
    hubs: asked.map(({ standing }) => standing),
    folders: standings,
    runs: asked.flatMap(({ runs }) => runs),
  }
}

type KnownHub = { url: string; token: string; isOwn: boolean }

/** The hubs that folders or runs of this machine use, the local hub among them. */
function knownHubs(named: HubAccess | null, state: StateFolder): KnownHub[] {
  const note = new LocalHub(state.root).note
  const own = note ? [{ url: note.urls.at(-1)!, token: note.token, isOwn: true }] : []
  const used = [...state.links(), ...new KnownRuns(state.root).all()].map((one) => ({ ...one, isOwn: false }))
  const hubs = new Map<string, KnownHub>()
  const first = named ? [{ ...named, isOwn: false }] : []
  for (const { url, token, isOwn } of [...first, ...own, ...used])
    if (!hubs.has(url)) hubs.set(url, { url, token, isOwn })
  return [...hubs.values()]
}

async function askOne({ url, token, isOwn }: KnownHub, state: StateFolder, stop: AbortSignal) {
  const hub: Hub = viaLocalSocket(state.root, { url, token })
  const answer = await askHub(hub, stop, hubMs)
  const standing: HubState = { url, isOwn, answer }
  if (answer !== 'knows-us') return { standing, runs: [], closed: new Set<string>() }
  const wanted = { signal: stop, patienceMs: 0, most: mostRuns }
  // It answered a moment ago; if it does not now, the status already says enough.
  const { runs } = await allRuns(hub, wanted).catch(() => ({ runs: [] }))
  const open = runs.filter(({ now }) => now?.status !== 'closed')
  const closed = new Set<string>(runs.filter(({ now }) => now?.status === 'closed').map(({ id }) => id))
  return { standing, runs: open.map((run) => ({ ...run, hub: url })), closed }
}
