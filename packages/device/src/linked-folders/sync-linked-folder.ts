import { hostname } from 'node:os'
import { basename } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { endRunner, runStatus } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Seen } from '@farhand/sync/engine/disk-folder'
import type { Connection, HubFolder } from '@farhand/sync/engine/hub-folder'
import type { Ask, SyncNote } from '@farhand/sync/engine/sync-notes'
import type * as lives from '@farhand/sync/hub/device-life'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../daemon/background-links.ts'
import type { LinkStatus } from '../daemon/device-protocol.ts'
import { LinkStatusReports } from '../daemon/link-status.ts'
import { WakeDetector } from '../daemon/wake-detector.ts'
import { looksSecret } from '../first-look/suspicious-files.ts'
import { leftOutPaths, userRules } from '../first-look/user-rules.ts'
import type { GitEnv } from '../git/run-git.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { FarSide } from './far-side.ts'
import { fetchCommitsWhileLinked } from './fetch-commits-while-linked.ts'
import { hubFull, troubleAtBeginning } from './hub-full.ts'
import { openingFolder } from './opening-folder.ts'
import { SkipReports, type SkipWords } from './skip-reports.ts'
import { unwritableFolderNotes } from './unwritable-folder.ts'
import { WaitingChanges } from './waiting-changes.ts'

/** Hears what happens to a linked folder while it is kept in sync. */
export type LinkListener = {
  /** The folder is about to be synced; nothing was sent yet. */
  begun(): void
  note(note: SyncNote): void
  /** Every event of the run that the folder reads. */
  event(event: SeenEvent): void
  /** The branches to which the agent's commits were fetched. */
  branches(names: readonly string[]): void
  /** The agent's commits stay at the hub for now. */
  commitsWait(why: string): void
  /** The sync is over. `unsent`: the changes made while offline that are not in the run. */
  over(unsent: number): void
}

type Circumstances = {
  state: StateFolder
  /** The version of this program. */
  version: string
  /** In a thread of the device process: hears the status of the link. A link in a terminal writes it down. */
  onStatus?: (status: LinkStatus) => void
  /** Whether a closed run is opened again. */
  reopens: boolean
  /** A new size limit for the run's files. */
  maxFileBytes: number | undefined
  env: GitEnv
  home: string
  /** Answers what only the user may decide. */
  ask: Ask
  skipWords: SkipWords
  stop: AbortSignal
}

/** How a sync ended. `unsent`: the changes of the folder that are not in its closed run; null if that is not known. */
export type SyncEnd = { is: 'stopped' } | { is: 'run-closed'; unsent: number | null }

const lastCommitsMs = 60_000
const statusEveryMs = { written: 1_000, told: 100 }

/** Syncs a linked folder until `stop` aborts, or the run is closed. The folder must be locked. */
export async function syncLinkedFolder(
  link: Link,
  given: Circumstances,
  listener: LinkListener,
): Promise<SyncEnd> {
  const { state, onStatus, maxFileBytes, stop } = given
  const isKept = onStatus !== undefined
  const memoryFolder = state.memoryOf(link.folder, link.at)
  // Opened first: its thread takes the longest to start, and waits for nothing.
  const opening = Promise.all([
    import('@farhand/sync/disk/open-disk-folder'),
    import('@farhand/sync/state/memory-file'),
    link.wins === 'disk'
      ? userRules(link.folder, state, given)
      : { leftOut: leftOutPaths(state, link.folder) },
  ]).then(([{ openDiskFolder }, { rememberedLimit }, rules]) =>
    openDiskFolder({
      root: link.folder,
      state: memoryFolder,
      maxFileBytes: maxFileBytes ?? rememberedLimit(memoryFolder) ?? defaultMaxFileBytes,
      ...rules,
      ...(link.wins === 'disk' ? { decisions: state.placeOf(link.folder) } : {}),
      holdForGit: link.wins === 'disk',
      mayMakeRepositories: link.wins === 'log',
      // The device process has ended its earlier thread for this folder.
      isOwnLockDead: isKept,
    }),
  )
  opening.catch(() => {})
  const disk = openingFolder(opening)
  const [{ openHubFolder }, { openMemoryFile }, { syncFolder }, { leanFetch }, { DeviceLife }] =
    await Promise.all([
      import('@farhand/sync/hub/open-hub-folder'),
      import('@farhand/sync/state/memory-file'),
      import('@farhand/sync/engine/folder-sync'),
      import('@farhand/sync/http/lean-fetch'),
      import('@farhand/sync/hub/device-life'),
    ])
  const { url, token } = link
  const user: Hub = viaLocalSocket(state.root, { url, token, fetch: leanFetch })
  listener.begun()
  let farSide: FarSide | null = null
  let sent = async () => {}
  const folders = new BackgroundLinks(state)
  const who = { version: given.version, url: link.url, isKept }
  const status = isKept
    ? new LinkStatusReports(who, statusEveryMs.told, onStatus)
    : new LinkStatusReports(who, statusEveryMs.written, (now) => folders.writeStatus(link.folder, now))
  const skips = new SkipReports(nameOf(link.folder), given.skipWords)
  const wakeDetector = new WakeDetector()
  const on = (note: SyncNote) => {
    listener.note(note)
    farSide?.note(note)
    status.note(note)
    skips.note(note)
    if (note.is === 'in-step' && isKept) folders.dropFirstSyncFlags(link.folder)
  }
  for (const note of unwritableFolderNotes(link.folder)) on(note)
  const waiting = new WaitingChanges(on)
  let life: lives.DeviceLife | null = null
  const over = new AbortController()
  try {
    // Wait for the folder first: a folder that another process has must not change the run or fence its runner.
    if (link.wins === 'log' || given.reopens || maxFileBytes !== undefined) await opening
    if (given.reopens) await reopen(user, link, stop)
    const beginning = { stop, over: over.signal, on, DeviceLife }
    const { hub: as, role } = await roleOf(link, user, state, beginning)
    if ('life' in role) {
      const { life: lived } = role
      life = lived
      const { post } = await import('@farhand/client/post/post')
      skips.begin(async (event, key) => {
        const as = { ...user, deviceId: link.device, deviceLife: lived.number }
        const options = { signal: over.signal, patienceMs: Number.POSITIVE_INFINITY, key }
        await post(as, link.at, event, options)
      })
    }
    if (role.is === 'runner') {
      const { signal } = over
      const reports = {
        sent: () => sent(),
        done: () => endRunner(as, link.at, { signal }),
        alive: () => runStatus(as, link.at, { signal, patienceMs: 0 }),
      }
      farSide = new FarSide(reports, signal)
    }
    if (maxFileBytes !== undefined) await setSizeLimit(user, link, maxFileBytes, stop)
    const onConnection = (state: Connection) => {
      waiting.connection(state)
      on({ is: 'connection', state })
    }
    const onFull = (paths: WorkspacePath[]) => on(hubFull(paths))
    const opened = openHubFolder({ hub: as, at: link.at, role, onConnection, onFull, online: wakeDetector })
    const commits = fetchCommitsWhileLinked(link, {
      user,
      memory: memoryFolder,
      env: given.env,
      signal: over.signal,
      stop,
      onBranches: listener.branches,
      onTrouble: listener.commitsWait,
    })
    const hub = withEvents(opened, (event) => {
      listener.event(event)
      void farSide?.onEvent(event)
      commits.hear(event)
    })
    const memory = openMemoryFile(memoryFolder)
    const { unsent } = await syncFolder({
      disk: waiting.counting(disk),
      hub,
      memory,
      wins: link.wins,
      on,
      onOpen: (allSent) => {
        sent = allSent
      },
      ask: given.ask,
      ...(link.wins === 'disk' ? { suspect: (seen: Seen) => looksSecret(link.folder, seen) } : {}),
      signal: stop,
    })
    if (stop.aborted) return { is: 'stopped' }
    // The agent's last commits arrive with the end of the run.
    await commits.settled(lastCommitsMs)
    return { is: 'run-closed', unsent }
  } catch (error) {
    if (stop.aborted) return { is: 'stopped' }
    throw error
  } finally {
    life?.end()
    over.abort()
    wakeDetector.end()
    status.end()
    await disk.close()
    listener.over(waiting.size)
  }
}

/** The same hub folder; `onEvent` gets every event that the folder reads. */
function withEvents(hub: HubFolder, onEvent: (event: SeenEvent) => void): HubFolder {
  return {
    ...hub,
    async *follow(...asked) {
      for await (const portion of hub.follow(...asked)) {
        for (const event of portion.events) onEvent(event)
        yield portion
      }
    },
  }
}

type Beginning = {
  stop: AbortSignal
  over: AbortSignal
  on: (note: SyncNote) => void
  DeviceLife: typeof lives.DeviceLife
}

/** The name of a folder for users of its run. */
const nameOf = (folder: string) => `${basename(folder)} on ${hostname()}`.slice(0, 200)

/** The role in which the folder writes. The far side takes the runner's place: the runner before it is fenced. */
async function roleOf(link: Link, user: Hub, state: StateFolder, { stop, over, on, DeviceLife }: Beginning) {
  const onTrouble = troubleAtBeginning(on)
  const waiting = { signal: stop, patienceMs: Number.POSITIVE_INFINITY, onTrouble }
  if (link.wins === 'disk') {
    const { device, folder } = link
    const life = new DeviceLife(
      { device, name: nameOf(folder), memory: state.memoryOf(folder, link.at) },
      Date.now(),
    )
    await life.begin(user, link.at, waiting)
    return { hub: user, role: { is: 'device' as const, deviceId: device, life } }
  }
  const [{ beginRunner }, { Producer }] = await Promise.all([
    import('@farhand/client/resources/resources'),
    import('@farhand/client/post/producer'),
  ])
  const { token, generation } = await beginRunner(user, link.at, {}, waiting)
  const earlier = link.generations
  // Saved before anything is written: after a crash the folder must recognize its own events.
  state.save({ ...link, generations: [...earlier, generation].slice(-1000) })
  const hub: Hub = { ...user, token }
  // Ended with the sync: its pending events would keep the process alive, and be sent for a folder that may be gone.
  const producer = new Producer(hub, link.at, { id: 'runner', epoch: generation, signal: over })
  return { hub, role: { is: 'runner' as const, producer, generation, earlier } }
}

async function setSizeLimit(user: Hub, link: Link, maxFileBytes: number, signal: AbortSignal): Promise<void> {
  const { post } = await import('@farhand/client/post/post')
  await post(user, link.at, event('sync_settings', { maxFileBytes }), { signal })
}

async function reopen(user: Hub, { at }: Link, signal: AbortSignal): Promise<void> {
  const { initRun } = await import('@farhand/client/resources/resources')
  await initRun(user, at, { signal })
}
