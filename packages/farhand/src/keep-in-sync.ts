import { hostname } from 'node:os'
import { basename } from 'node:path'
import type { Hub } from '@farhand/client/hub'
import type { DeviceLife } from '@farhand/sync/device-life'
import type { Connection } from '@farhand/sync/hub-folder'
import { defaultMaxFileBytes } from '@farhand/sync/size-limit'
import type { Link, StateFolder } from '@farhand/sync/state-folder'
import type { SyncNote } from '@farhand/sync/sync-notes'
import type { LinkFlags } from './link-command.ts'
import { type Decided, linkQuestions } from './link-questions.ts'
import { count, jsonScreen, textScreen } from './link-screen.ts'
import { pathFrom } from './linked-run.ts'
import { folderInside, folderTaken } from './lock-folder.ts'
import { shellWord } from './note-in-words.ts'
import { onceOpen } from './once-open.ts'
import { paint } from './paint.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

type Circumstances = {
  flags: LinkFlags
  maxFileBytes: number | undefined
  state: StateFolder
  madeFor: string | undefined
  isNew: boolean
}

/** Runs the engine on a linked folder and shows what it does; resolves when it was asked to stop, or the run ended. */
export async function keepInSync(link: Link, circumstances: Circumstances, world: World): Promise<void> {
  const { flags, maxFileBytes, state } = circumstances
  const memoryFolder = state.memoryOf(link.folder, link.at)
  // First of all: its thread takes the longest to begin, and waits for nothing.
  const opening = import('@farhand/sync/disk/open-disk-folder').then(({ openDiskFolder }) =>
    openDiskFolder({
      root: link.folder,
      state: memoryFolder,
      maxFileBytes: maxFileBytes ?? defaultMaxFileBytes,
      holdForGit: link.wins === 'disk',
    }),
  )
  opening.catch(() => {})
  const disk = onceOpen(opening)
  const [{ openHubFolder }, { openMemoryFile }, { syncFolder }, { leanFetch }] = await Promise.all([
    import('@farhand/sync/open-hub-folder'),
    import('@farhand/sync/memory-file'),
    import('@farhand/sync/folder-sync'),
    import('@farhand/sync/http/lean-fetch'),
  ])
  const user: Hub = { url: link.url, token: link.token, fetch: leanFetch }
  const ready = {
    folder: link.folder,
    hub: link.url,
    ...link.at,
    wins: link.wins,
    device: link.wins === 'disk' ? link.device : null,
  }
  const screen = flags.json
    ? jsonScreen(world, ready)
    : textScreen(world, {
        farhand: world.called.farhand,
        self: link.device,
        pathFor: (name) => pathFrom(world.cwd, link, name),
      })
  if (flags.json) world.out(`${JSON.stringify({ event: 'linked', ...ready })}\n`)
  else for (const line of greeting(link, circumstances, world)) screen.say(line)
  const on = (note: SyncNote) => screen.note(note)
  const { ask, refusal, unchanged } = linkQuestions(
    decidedBy(flags),
    flags.json ? { ...world, ask: null } : world,
    screen,
  )
  let life: DeviceLife | null = null
  try {
    // Nobody may be shut out of the run by a folder that somebody else has.
    if (link.wins === 'log' || flags.reopen || maxFileBytes !== undefined) await opening
    if (flags.reopen) await reopen(user, link, world)
    const { hub: as, role } = await roleOf(link, user, state, { stop: world.stop, on })
    if ('life' in role) life = role.life
    if (maxFileBytes !== undefined) await setSizeLimit(user, link, maxFileBytes, world)
    const onConnection = (state: Connection) => on({ is: 'connection', state })
    const hub = openHubFolder({ hub: as, at: link.at, role, onConnection })
    const memory = openMemoryFile(memoryFolder)
    const { unsent } = await syncFolder({ disk, hub, memory, wins: link.wins, on, ask, signal: world.stop })
    if (world.stop.aborted) return
    screen.close()
    if (flags.json) world.out(`${JSON.stringify({ event: 'ended', why: 'run.closed', unsent })}\n`)
    const trouble = closedTrouble(unsent, link, world)
    if (trouble) throw trouble
    screen.say('The run was closed. Nothing of this folder was left to be sent.')
  } catch (error) {
    if (world.stop.aborted) return
    const refused = refusal()
    if (refused) throw refused
    if ((error as { why?: unknown }).why !== 'answer') throw stopTrouble(error, link, world) ?? error
    screen.say(`Stopped, as you chose. ${unchanged()}`)
  } finally {
    life?.end()
    await disk.close()
    if (world.stop.aborted && !flags.json)
      screen.say(`Stopped. \`${world.called.farhand} link ${shellWord(link.folder)}\` goes on from here.`)
    screen.close()
  }
}

/** As whom the folder writes. The far side takes the runner's seat: whoever had it is shut out from then on. */
async function roleOf(
  link: Link,
  user: Hub,
  state: StateFolder,
  { stop, on }: { stop: AbortSignal; on: (note: SyncNote) => void },
) {
  const onTrouble = (trouble: unknown, retryMs: number) => {
    const why = trouble instanceof Error ? trouble.message : String(trouble)
    on({ is: 'connection', state: { is: 'offline', why, retryAt: Date.now() + retryMs } })
  }
  const waiting = { signal: stop, patienceMs: Number.POSITIVE_INFINITY, onTrouble }
  if (link.wins === 'disk') {
    const { DeviceLife } = await import('@farhand/sync/device-life')
    const { device, folder } = link
    const name = `${basename(folder)} on ${hostname()}`.slice(0, 200)
    const life = new DeviceLife({ device, name, memory: state.memoryOf(folder, link.at) }, Date.now())
    await life.begin(user, link.at, waiting)
    return { hub: user, role: { is: 'device' as const, deviceId: device, life } }
  }
  const [{ beginRunner }, { Producer }] = await Promise.all([
    import('@farhand/client/resources'),
    import('@farhand/client/producer'),
  ])
  const { token, generation } = await beginRunner(user, link.at, {}, waiting)
  const earlier = link.generations
  // Before it writes anything: after a crash it has to know these events for its own.
  state.save({ ...link, generations: [...earlier, generation].slice(-1000) })
  const hub: Hub = { ...user, token }
  const producer = new Producer(hub, link.at, { id: 'runner', epoch: generation })
  return { hub, role: { is: 'runner' as const, producer, generation, earlier } }
}

async function setSizeLimit(user: Hub, link: Link, maxFileBytes: number, { stop }: World): Promise<void> {
  const { post } = await import('@farhand/client/post')
  const params = { maxFileBytes }
  await post(user, link.at, { jsonrpc: '2.0', method: '_posthog/sync_settings', params }, { signal: stop })
}

function decidedBy({ mine, theirs, gone, head }: LinkFlags): Decided {
  return {
    ...(mine ? { 'first-attach': 'mine' as const } : theirs ? { 'first-attach': 'theirs' as const } : {}),
    ...(gone === 'delete' || gone === 'bring-back' ? { vanished: gone } : {}),
    ...(head === 'send' ? { 'head-moved': head } : {}),
  }
}

function greeting(link: Link, { madeFor, isNew, state }: Circumstances, world: World): string[] {
  const { bold, dim } = paint(world.color)
  const side =
    link.wins === 'disk'
      ? 'your side: when both change a file, this folder wins'
      : "the run's far side: when both change a file, the other folders win"
  const other = link.wins === 'disk' ? ' --wins log' : ''
  const second = `${world.called.farhand} link <another folder> --run ${link.at.run}${other} --hub ${link.url}`
  return [
    `${bold(link.folder)} is linked to ${bold(link.at.run)} at ${link.url}`,
    dim(`This is ${side}. Ctrl-C stops.`),
    ...(madeFor
      ? [dim(`A token for ${madeFor} was made on the hub's data and is kept in ${state.root}.`)]
      : []),
    ...(isNew ? [`In a second terminal: ${bold(second)}`] : []),
  ]
}

/** What to do about a run that is closed. */
export const reopening = (folder: string, { called }: World) =>
  `\`${called.farhand} link ${shellWord(folder)} --reopen\` opens it again and goes on. To begin another one:\n` +
  `\`${called.farhand} unlink ${shellWord(folder)}\`, then link it with --run new.`

async function reopen(user: Hub, { at }: Link, { stop }: World): Promise<void> {
  const { initRun } = await import('@farhand/client/resources')
  await initRun(user, at, { signal: stop })
}

function closedTrouble(unsent: number | null, { folder }: Link, world: World): Trouble | null {
  if (unsent === 0) return null
  const left =
    unsent === null
      ? 'Nobody has looked whether everything here is in it.'
      : `${count(unsent, 'change')} of this folder ${unsent === 1 ? 'is' : 'are'} not in it.`
  const trouble = new Trouble('runClosed', `The run is closed. ${left}`, reopening(folder, world))
  trouble.isTold = true
  return trouble
}

function stopTrouble(error: unknown, { folder, at, wins }: Link, { called }: World): Trouble | null {
  const { why, message, name } = error as { why?: string; message?: string; name?: string }
  const word = shellWord(folder)
  const again = `link ${word} --run ${at.run}${wins === 'log' ? ' --wins log' : ''}`
  const anew =
    `Let them meet anew: \`${called.farhand} unlink ${word}\`, then \`${called.farhand} ${again}\` with --mine or\n` +
    '--theirs, which say whose file counts where both have one. The other version is kept.'
  if (why === 'root-missing' || why === 'root-replaced') {
    const next = `Put it back at ${folder} and link it again, or forget it with \`${called.farhand} unlink ${word}\`.`
    return new Trouble('failed', `Stopped: ${message}.`, next, error)
  }
  if (why === 'other-log') {
    const says =
      "Stopped: the run's log is not the one this folder knew. The hub was put back to an older state, or is another one."
    return new Trouble('failed', says, `No file was changed on that account. ${anew}`, error)
  }
  if (name === 'FolderInUse') {
    const { pid = 0, folder: taken = folder } = error as { pid?: number; folder?: string }
    return taken === folder ? folderTaken(folder, pid) : folderInside(folder, taken, pid)
  }
  const remedy = systemRemedy(error, `${called.farhand} link ${word}`)
  if (remedy) return new Trouble('failed', `Stopped: the system says ${message}.`, remedy, error)
  if (name === 'MemoryDamaged') {
    const { file } = error as { file?: string }
    return new Trouble('failed', `What was remembered of this folder is damaged (${file}).`, anew, error)
  }
  return null
}

/** What a person can do about what the system refuses; null if it did not. */
function systemRemedy(error: unknown, again: string): string | null {
  const { code } = error as { code?: string }
  if (code === 'EMFILE' || code === 'ENFILE')
    return `\`ulimit -n 4096\` lets more files be open; then \`${again}\`.`
  if (code === 'EACCES' || code === 'EPERM')
    return `Look at who may read and write there; then \`${again}\` goes on.`
  if (code === 'ENOSPC' || code === 'EDQUOT') return `Make room on that disk; then \`${again}\` goes on.`
  if (code === 'EIO' || code === 'EROFS') return `Look after that disk first; then \`${again}\` goes on.`
  return null
}
