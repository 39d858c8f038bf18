import type { Hub } from '@farhand/client/requests/hub'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Connection, HubFolder } from '@farhand/sync/engine/hub-folder'
import type { Ask, SyncNote } from '@farhand/sync/engine/sync-notes'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../device-process/background-links.ts'
import type { LinkStatus } from '../device-process/device-protocol.ts'
import { LinkStatusReports } from '../device-process/link-status.ts'
import { WakeDetector } from '../device-process/wake-detector.ts'
import type { GitEnv } from '../git/run-git.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { fetchCommitsWhileLinked } from './fetch-commits-while-linked.ts'
import { hubFull } from './hub-full.ts'
import { openLinkedDisk, suspicion, unwritableFolderNotes } from './open-linked-disk.ts'
import { SkipReports, type SkipWords } from './skip-reports.ts'
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
  const { disk, opening } = openLinkedDisk(link, { ...given, isOwnLockDead: isKept })
  const [{ openHubFolder }, { openMemoryFile }, { syncFolder }, { leanFetch }, run] = await Promise.all([
    import('@farhand/sync/hub/open-hub-folder'),
    import('@farhand/sync/state/memory-file'),
    import('@farhand/sync/engine/folder-sync'),
    import('@farhand/sync/http/lean-fetch'),
    import('./take-role.ts'),
  ])
  const { url, token } = link
  const user: Hub = viaLocalSocket(state.root, { url, token, fetch: leanFetch })
  listener.begun()
  let taken: Awaited<ReturnType<typeof run.takeRole>> | null = null
  let sent = async () => {}
  const folders = new BackgroundLinks(state)
  const who = { version: given.version, url: link.url, isKept }
  const status = isKept
    ? new LinkStatusReports(who, statusEveryMs.told, onStatus)
    : new LinkStatusReports(who, statusEveryMs.written, (now) => folders.writeStatus(link.folder, now))
  const skips = new SkipReports(run.nameOf(link.folder), given.skipWords)
  const wakeDetector = new WakeDetector()
  const on = (note: SyncNote) => {
    listener.note(note)
    taken?.farSide?.note(note)
    status.note(note)
    skips.note(note)
    if (note.is === 'in-step' && isKept) folders.dropFirstSyncFlags(link.folder)
  }
  for (const note of unwritableFolderNotes(link.folder)) on(note)
  const waiting = new WaitingChanges(on)
  const over = new AbortController()
  try {
    // Wait for the folder first: a folder that another process has must not change the run or fence its runner.
    if (link.wins === 'log' || given.reopens || maxFileBytes !== undefined) await opening
    if (given.reopens) await run.reopen(user, link, stop)
    taken = await run.takeRole(link, { user, state, stop, over: over.signal, on, sent: () => sent() })
    const { hub: as, role, say, farSide } = taken
    if (say) skips.begin(say)
    if (maxFileBytes !== undefined) await run.setSizeLimit(user, link, maxFileBytes, stop)
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
    const { unsent } = await syncFolder({
      disk: waiting.counting(disk),
      hub,
      memory: openMemoryFile(memoryFolder),
      wins: link.wins,
      on,
      onOpen: (allSent) => {
        sent = allSent
      },
      ask: given.ask,
      ...suspicion(link),
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
    taken?.end()
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
