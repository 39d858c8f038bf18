import { hostname } from 'node:os'
import { basename } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { endRunner, runStatus } from '@farhand/client/resources/resources'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { LinkStatusWriter } from '@farhand/device/daemon/link-status-writer'
import { WakeDetector } from '@farhand/device/daemon/wake-detector'
import { looksSecret } from '@farhand/device/first-look/suspicious-files'
import { leftOutPaths, userRules } from '@farhand/device/first-look/user-rules'
import { FarSide } from '@farhand/device/linked-folders/far-side'
import { openingFolder } from '@farhand/device/linked-folders/opening-folder'
import { unwritableFolderNotes } from '@farhand/device/linked-folders/unwritable-folder'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { event, isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Seen } from '@farhand/sync/engine/disk-folder'
import type { Connection, HubFolder } from '@farhand/sync/engine/hub-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import type * as lives from '@farhand/sync/hub/device-life'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { version } from '../context/version.ts'
import { pathFrom } from '../find-run/linked-run.ts'
import { fetchCommitsWhileLinked } from '../finish/fetch-commits-while-linked.ts'
import { type Decided, linkQuestions } from '../link-screen/link-questions.ts'
import { jsonScreen, type LinkScreen, textScreen } from '../link-screen/link-screen.ts'
import { KnownNames } from '../printing/device-names.ts'
import { paint } from '../printing/paint.ts'
import { hubFull, troubleAtBeginning } from './hub-full.ts'
import { closedTrouble, commandsFor, stopTrouble } from './link-troubles.ts'
import { troubleIfPaused } from './paused-trouble.ts'
import { SkipReports } from './skip-reports.ts'
import { WaitingChanges } from './waiting-changes.ts'

/** The flags of `farhand link`. */
export type LinkFlags = Readonly<
  Partial<
    Record<
      | 'run'
      | 'wins'
      | 'mine'
      | 'theirs'
      | 'gone'
      | 'head'
      | 'maxFile'
      | 'secrets'
      | 'reopen'
      | 'background'
      | 'kept'
      | 'state'
      | 'hub'
      | 'token'
      | 'json',
      unknown
    >
  >
>

type Circumstances = {
  flags: LinkFlags
  maxFileBytes: number | undefined
  state: StateFolder
  madeFor: string | undefined
  isNew: boolean
}

const lastCommitsMs = 60_000

/** Syncs a linked folder and shows what happens; resolves when the user stops it, or the run is closed. */
export async function keepInSync(
  link: Link,
  circumstances: Circumstances,
  context: CommandContext,
): Promise<void> {
  const { flags, maxFileBytes, state } = circumstances
  const memoryFolder = state.memoryOf(link.folder, link.at)
  // Opened first: its thread takes the longest to start, and waits for nothing.
  const opening = Promise.all([
    import('@farhand/sync/disk/open-disk-folder'),
    import('@farhand/sync/state/memory-file'),
    link.wins === 'disk'
      ? userRules(link.folder, state, context)
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
  const again = commandsFor(link, flags, context)
  const known = new KnownNames(memoryFolder)
  const user: Hub = { fetch: leanFetch, ...viaLocalSocket(state.root, { url: link.url, token: link.token }) }
  const ready = {
    folder: link.folder,
    hub: link.url,
    ...link.at,
    wins: link.wins,
    device: link.wins === 'disk' ? link.device : null,
  }
  const screen = flags.json
    ? jsonScreen(context, ready, flags.kept === true)
    : textScreen(context, {
        farhand: context.called.farhand,
        self: link.device,
        again: again.link,
        state: flags.state === undefined ? undefined : String(flags.state),
        folder: link.folder,
        devices: known.names,
        pathFor: (name) => pathFrom(context.cwd, link, name),
      })
  if (flags.json) context.out(`${JSON.stringify({ event: 'linked', ...ready })}\n`)
  else for (const line of greeting(link, circumstances, context)) screen.say(line)
  let farSide: FarSide | null = null
  let sent = async () => {}
  const folders = new BackgroundLinks(state)
  const now = new LinkStatusWriter(link.folder, folders, {
    version,
    url: link.url,
    isKept: flags.kept === true,
  })
  const skips = new SkipReports(nameOf(link.folder), context.called.farhand)
  const wakeDetector = new WakeDetector()
  const on = (note: SyncNote) => {
    screen.note(note)
    farSide?.note(note)
    now.note(note)
    skips.note(note)
    if (note.is === 'in-step' && flags.kept) folders.dropFirstSyncFlags(link.folder)
  }
  const { ask, refusal, unchanged } = linkQuestions(
    decidedBy(flags),
    flags.json ? { ...context, ask: null } : context,
    screen,
    again.link,
  )
  for (const note of unwritableFolderNotes(link.folder)) on(note)
  const waiting = new WaitingChanges(on)
  let life: lives.DeviceLife | null = null
  const over = new AbortController()
  try {
    // Checked after the status is written: a `pause` before that could not find this process to end it.
    const paused = flags.kept ? troubleIfPaused(link.folder, state, context) : null
    if (paused) throw paused
    // Wait for the folder first: a folder that another process has must not change the run or fence its runner.
    if (link.wins === 'log' || flags.reopen || maxFileBytes !== undefined) await opening
    if (flags.reopen) await reopen(user, link, context)
    const { hub: as, role } = await roleOf(link, user, state, {
      stop: context.stop,
      over: over.signal,
      on,
      DeviceLife,
    })
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
    if (maxFileBytes !== undefined) await setSizeLimit(user, link, maxFileBytes, context)
    const onConnection = (state: Connection) => {
      waiting.connection(state)
      on({ is: 'connection', state })
    }
    const onFull = (paths: WorkspacePath[]) => on(hubFull(paths))
    const opened = openHubFolder({ hub: as, at: link.at, role, onConnection, onFull, online: wakeDetector })
    const commits = fetchCommitsWhileLinked(link, {
      user,
      memory: memoryFolder,
      screen,
      context,
      signal: over.signal,
    })
    const hub = withEvents(opened, (event) => {
      if (!flags.json) hear(event, known, screen)
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
      ask,
      ...(link.wins === 'disk' ? { suspect: (seen: Seen) => looksSecret(link.folder, seen) } : {}),
      signal: context.stop,
    })
    if (context.stop.aborted) return
    // The agent's last commits arrive with the end of the run.
    await commits.settled(lastCommitsMs)
    screen.close()
    if (flags.json) context.out(`${JSON.stringify({ event: 'ended', why: 'run.closed', unsent })}\n`)
    const trouble = closedTrouble(unsent, again)
    if (trouble) throw trouble
    screen.say('The run was closed. Nothing of this folder was left to be sent.')
  } catch (error) {
    if (context.stop.aborted) return
    const refused = refusal()
    if (refused) throw refused
    if ((error as { why?: unknown }).why !== 'answer') {
      throw stopTrouble(error, { ...link, memory: memoryFolder }, again) ?? error
    }
    screen.say(`Stopped, as you chose. ${unchanged()}`)
  } finally {
    life?.end()
    over.abort()
    wakeDetector.end()
    now.end()
    await disk.close()
    if (context.stop.aborted && !flags.json)
      screen.say(`Stopped. ${waiting.inWords()}\`${again.link}\` goes on from here.`)
    screen.close()
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

function hear(event: SeenEvent, known: KnownNames, screen: LinkScreen): void {
  known.take(event)
  // The runner may take a while to send its last changes, and nothing else would show it.
  if (isEvent(event.notification, 'close')) screen.say('The run is being closed.')
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

async function setSizeLimit(
  user: Hub,
  link: Link,
  maxFileBytes: number,
  { stop }: CommandContext,
): Promise<void> {
  const { post } = await import('@farhand/client/post/post')
  const params = { maxFileBytes }
  await post(user, link.at, event('sync_settings', params), { signal: stop })
}

function decidedBy({ mine, theirs, gone, head }: LinkFlags): Decided {
  return {
    ...(mine ? { 'first-attach': 'mine' as const } : theirs ? { 'first-attach': 'theirs' as const } : {}),
    ...(gone === 'delete' || gone === 'bring-back' ? { vanished: gone } : {}),
    ...(head === 'send' ? { 'head-moved': head } : {}),
  }
}

function greeting(link: Link, { madeFor, isNew, state }: Circumstances, context: CommandContext): string[] {
  const { bold, dim } = paint(context.color)
  const side =
    link.wins === 'disk'
      ? 'your side: when both change a file, this folder wins'
      : "the run's far side: when both change a file, the other folders win"
  const other = link.wins === 'disk' ? ' --wins log' : ''
  const second = `${context.called.farhand} link <another folder> --run ${link.at.run}${other} --hub ${link.url}`
  return [
    `${bold(link.folder)} is linked to ${bold(link.at.run)} at ${link.url}`,
    dim(`This is ${side}. Ctrl-C stops.`),
    ...(madeFor
      ? [dim(`A token for ${madeFor} was made on the hub's data and is kept in ${state.root}.`)]
      : []),
    ...(isNew ? [`In another terminal: ${bold(second)}`] : []),
  ]
}

async function reopen(user: Hub, { at }: Link, { stop }: CommandContext): Promise<void> {
  const { initRun } = await import('@farhand/client/resources/resources')
  await initRun(user, at, { signal: stop })
}
