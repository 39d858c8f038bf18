import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { stopBackgroundLink } from '@farhand/device/daemon/stop-background-link'
import type { CommandContext } from '../context/command-context.ts'
import { unlessStopped } from '../context/unless-stopped.ts'
import { Trouble } from '../errors/trouble.ts'
import { LinkReports } from '../linked-folders/link-reports.ts'
import { folderTaken } from '../linked-folders/lock-folder.ts'
import { removeSyncFiles } from '../linked-folders/remove-sync-files.ts'
import { linkLog, spawnLink } from '../linked-folders/spawn-link.ts'
import { type StartedLink, startLink } from '../linked-folders/start-link.ts'
import type { HandoffRun } from './handoff-run.ts'

type Linked = Pick<HandoffRun, 'hub' | 'at' | 'known' | 'workspace' | 'state'>

const hasMet = ({ state, workspace, at }: Linked) => state.identity(workspace, at) !== null

/** Whether this folder has had the files of the run. One that has not may have old ones, which must not count by themselves. */
export const hadRunFiles = (run: Linked) => hasMet(run) || run.known?.workspace === run.workspace

/** A folder that was tried in vain, and has never been the run's, is not taken for one of its folders later. */
export function forgetIfNeverLinked(run: Linked): void {
  const { state, workspace, at } = run
  if (hadRunFiles(run) || state.find(workspace)?.at.run !== at.run) return
  state.forget(workspace)
  removeSyncFiles(workspace)
}

/** What is here counts in a folder of the run's that has not been linked to it. In any other somebody has to say what does. */
const words = (run: Linked) => (hasMet(run) || !hadRunFiles(run) ? [] : ['--mine'])

/**
 * Makes a folder and a run the same, with the folder's own changes counting, and lets go of it: whoever takes the folder next
 * finds in it what the log has.
 */
export async function syncFolderOnce(run: Linked, context: CommandContext): Promise<void> {
  const { hub, at, workspace, state } = run
  await letGo(run)
  const about = ['--run', `${at.project}/${at.task}/${at.run}`, '--hub', hub.url]
  const link = spawnLink(workspace, state, { about, words: words(run), token: hub.token }, context)
  // Else nothing would keep us alive until it has ended.
  link.ref()
  const reports = new LinkReports(linkLog(state, workspace), () => {})
  const ended = once(link, 'exit').then(([code]) => {
    const said = reports.lastWords()
    const what = said?.message ?? `What brings the files to ${workspace} has ended with exit code ${code}.`
    reports.over(new Trouble('failed', what, said?.nextStep ?? 'Nothing was changed; say it again.'))
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

/** Nothing keeps the folder in the background any more; resolves when what did has ended. What a person runs stays. */
export async function letGo({ workspace, state }: Pick<HandoffRun, 'workspace' | 'state'>): Promise<void> {
  const folders = new BackgroundLinks(state)
  folders.drop(workspace)
  // One that is only starting, as a handoff before this may have left it, does not say yet what it is.
  const isUnsaid = () => folders.holder(workspace) !== null && folders.status(workspace) === null
  for (const since = performance.now(); isUnsaid() && performance.now() - since < startsMs; )
    await pause(lookMs)
  await stopBackgroundLink(workspace, folders)
  const holder = folders.holder(workspace)
  if (holder !== null) throw folderTaken(workspace, holder)
}

/** Has the folder kept in step with its run in the background. */
export function keepInStep(run: Linked, context: CommandContext): StartedLink {
  const { hub, at, workspace, state } = run
  return startLink({ url: hub.url, token: hub.token, at, workspace }, { state, once: words(run) }, context)
}
