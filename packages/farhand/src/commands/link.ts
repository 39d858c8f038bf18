import { basename } from 'node:path'
import type { HubAccess } from '@farhand/device/account/find-hub'
import { findNamedRun, runNamed } from '@farhand/device/find-run/run-named'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble, hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { sizeNamed } from '../terminal/printing/file-size.ts'
import { hubAccess, reachableHub } from './find-run/hub-access.ts'
import { wholeId } from './find-run/reach-run.ts'
import { firstLook } from './first-look/first-look.ts'
import { folderToLink } from './link/folder-to-link.ts'
import { keepInSync, type LinkFlags } from './link/keep-in-sync.ts'
import { commandsFor, pauseAdvice, reopening } from './link/link-troubles.ts'

/** `farhand link`: keeps a folder in sync with a run until the user stops it, or the run is closed. */
export const linkCommand = (given: string, flags: LinkFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    if (flags.mine && flags.theirs)
      throw new Trouble('usage', '--mine and --theirs exclude each other.', 'Give one of them.')
    const maxFileBytes = flags.maxFile === undefined ? undefined : sizeNamed(String(flags.maxFile))
    const place = stateFolderPath(flags.state, context)
    const state = new StateFolder(place)
    const folder = await folderToLink(given, place, context)
    const [{ lockFolder }, { refuseNeighbours }] = await Promise.all([
      import('@farhand/device/linked-folders/lock-folder'),
      import('@farhand/device/linked-folders/refuse-neighbours'),
    ])
    if (flags.kept) return await keptByDevice(folder, state, context)
    if (flags.background && (await isInBackground(folder, flags, state, context))) return
    const lock = lockFolder(state, folder, pauseAdvice(folder, context))
    let background: { link: Link; isNew: boolean } | null = null
    try {
      refuseNeighbours(state, folder)
      const { link, madeFor, isNew } = await linkFor(folder, flags, maxFileBytes, state, context)
      if (flags.background) background = { link, isNew }
      else
        await keepInSync(link, { flags, maxFileBytes, state, madeFor, isNew }, context).catch(
          (error: unknown) => {
            throw hubTrouble(error, link.url, context, reopening(commandsFor(link, flags, context))) ?? error
          },
        )
    } finally {
      lock.release()
    }
    if (!background) return
    const { linkInBackground } = await import('./device/link-in-background.ts')
    await linkInBackground(background, flags, state, context)
  })

/** Daemons of older versions start a process for each folder; this one leaves it to the device process. */
async function keptByDevice(folder: string, state: StateFolder, context: CommandContext): Promise<void> {
  const { troubleIfPaused } = await import('./link/paused-trouble.ts')
  const paused = troubleIfPaused(folder, state, context)
  if (paused) throw paused
  await startUserDevice(state, context)
}

async function startUserDevice(state: StateFolder, context: CommandContext): Promise<void> {
  const { ensureUserDevice } = await import('./link/ensure-user-device.ts')
  await ensureUserDevice(state.root, context)
}

/** Whether the folder is kept in the background already; prints that. */
async function isInBackground(folder: string, flags: LinkFlags, state: StateFolder, context: CommandContext) {
  const { isInBackground, explainBackgroundLink } = await import('./device/link-in-background.ts')
  if (!isInBackground(folder, flags, state)) return false
  await startUserDevice(state, context)
  const { at, url } = state.find(folder)!
  if (flags.json) context.out(`${JSON.stringify({ event: 'in-background', folder, hub: url, ...at })}\n`)
  else explainBackgroundLink(folder, context)
  return true
}

/** The link: what the flags say, and for the rest what the folder was linked to before. */
async function linkFor(
  folder: string,
  flags: LinkFlags,
  maxFileBytes: number | undefined,
  state: StateFolder,
  context: CommandContext,
): Promise<{ link: Link; madeFor: string | undefined; isNew: boolean }> {
  const before = state.find(folder)
  if (flags.run === undefined && !before) {
    throw new Trouble(
      'usage',
      `Which run? ${folder} has not been linked before.`,
      'Name one with --run run_..., or begin one with --run new.',
    )
  }
  if (flags.run === 'new' && before) {
    const { link, unlink } = commandsFor(before, flags, context)
    throw new Trouble(
      'usage',
      `${folder} is linked to ${runInWords(before.at.run)} already.`,
      `\`${link}\`, without --run, goes on with it. For a new run: \`${unlink}\` first.`,
    )
  }
  const wins = flags.wins === undefined ? (before?.wins ?? 'disk') : flags.wins === 'log' ? 'log' : 'disk'
  const isSame = before && flags.hub === undefined && flags.token === undefined
  const known = before && !flags.hub ? { hub: before.url, token: before.token } : {}
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  const access: HubAccess = isSame
    ? await hubOf(before, flags, state, context)
    : await hubAccess({ ...known, ...given }, state, context, { begins: flags.run === 'new' })
  const { madeFor, ...hub } = access
  if (wins === 'disk') await firstLook(folder, { state, hub: hub.url, flags, maxFileBytes }, context)
  const inTrouble = asHubTrouble(hub.url, context)
  const said =
    flags.run === undefined ? null : await wholeId(hub, String(flags.run), context).catch(inTrouble)
  const named = said === null ? null : runNamed(said)
  // The hub is not asked about a run that is linked already: so a second start is fast.
  const isKnown = before?.url === hub.url && (!named || (named.is === 'id' && named.run === before.at.run))
  const at =
    isKnown || !named
      ? before!.at
      : await findNamedRun(hub, named, basename(folder), context.stop).catch(inTrouble)
  const { device, generations } = state.identity(folder, at) ?? {
    device: newId(DeviceId, 'dev'),
    generations: [],
  }
  const link: Link = { folder, url: access.url, token: access.token, at, wins, device, generations }
  state.save(link)
  return { link, madeFor, isNew: named?.is === 'new' }
}

/** Only a link in the foreground starts the user's own hub: one in the background must not restart a hub that the user has stopped. */
const hubOf = async ({ url, token }: Link, flags: LinkFlags, state: StateFolder, context: CommandContext) =>
  flags.background
    ? viaLocalSocket(state.root, { url, token })
    : await reachableHub({ url, token }, flags, state, context)
