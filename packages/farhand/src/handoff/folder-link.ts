import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { stopBackgroundLink } from '@farhand/device/daemon/stop-background-link'
import { LinkReports } from '@farhand/device/linked-folders/link-reports'
import { folderTaken } from '@farhand/device/linked-folders/lock-folder'
import { removeSyncFiles } from '@farhand/device/linked-folders/remove-sync-files'
import { linkLog, spawnLink } from '@farhand/device/linked-folders/spawn-link'
import { Trouble } from '@farhand/device/trouble/trouble'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import type { CommandContext } from '../context/command-context.ts'
import { type StartedLink, startLink } from '../linked-folders/start-link.ts'
import type { HandoffRun } from './handoff-run.ts'

type Linked = Pick<HandoffRun, 'hub' | 'at' | 'known' | 'workspace' | 'state'>

const hasMet = ({ state, workspace, at }: Linked) => state.identity(workspace, at) !== null

/**
 * Whether this folder has had the run's files. Another folder may contain old files, which must not win over the run's.
 */
export const hadRunFiles = (run: Linked) => hasMet(run) || run.known?.workspace === run.workspace

/** Forgets a folder that was tried without success and never had the run's files. */
export function forgetIfNeverLinked(run: Linked): void {
  const { state, workspace, at } = run
  if (hadRunFiles(run) || state.find(workspace)?.at.run !== at.run) return
  state.forget(workspace)
  removeSyncFiles(workspace)
}

/** In a folder of the run that was never linked, the local files win. In any other folder the user must decide. */
const words = (run: Linked) => (hasMet(run) || !hadRunFiles(run) ? [] : ['--mine'])

/**
 * Syncs the folder with the run once, local changes included, and ends the link, so that the next process finds in the
 * folder what the log has.
 */
export async function syncFolderOnce(run: Linked, context: CommandContext): Promise<void> {
  const { hub, at, workspace, state } = run
  await releaseFolder(run)
  const about = ['--run', `${at.project}/${at.task}/${at.run}`, '--hub', hub.url]
  const link = spawnLink(workspace, state, { about, words: words(run), token: hub.token }, context)
  // Keeps this process alive until the link has ended.
  link.ref()
  const reports = new LinkReports(linkLog(state, workspace), () => {})
  const ended = once(link, 'exit').then(([code]) => {
    const said = reports.lastWords()
    const what = said?.message ?? `The process that syncs ${workspace} ended with exit code ${code}.`
    reports.over(new Trouble('failed', what, said?.nextStep ?? 'Nothing was changed; try again.'))
  })
  try {
    await unlessStopped(context.stop, reports.inStep)
  } finally {
    link.kill()
    await ended
  }
}

const startsMs = 10_000
const lookMs = 30

/** Stops the background link of the folder and waits for its end. A link in the user's terminal is not stopped. */
export async function releaseFolder({
  workspace,
  state,
}: Pick<HandoffRun, 'workspace' | 'state'>): Promise<void> {
  const folders = new BackgroundLinks(state)
  folders.drop(workspace)
  // A link that is only starting, perhaps after an interrupted handoff, has no status yet.
  const isUnsaid = () => folders.holder(workspace) !== null && folders.status(workspace) === null
  for (const since = performance.now(); isUnsaid() && performance.now() - since < startsMs; )
    await pause(lookMs)
  await stopBackgroundLink(workspace, folders)
  const holder = folders.holder(workspace)
  if (holder !== null) throw folderTaken(workspace, holder)
}

/** Starts a background link for the folder. */
export function startFolderLink(run: Linked, context: CommandContext): StartedLink {
  const { hub, at, workspace, state } = run
  return startLink({ url: hub.url, token: hub.token, at, workspace }, { state, once: words(run) }, context)
}
