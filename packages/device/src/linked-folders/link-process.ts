import { mkdirSync } from 'node:fs'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../daemon/background-links.ts'
import type { KnownRun } from '../local-runs/local-runs.ts'
import { type BackgroundEnd, followBackgroundLink } from './follow-background-link.ts'
import { type LinkProgress, LinkReports } from './link-reports.ts'
import { linkLog, type StartedAgain, spawnLink } from './spawn-link.ts'

/** How the link of a folder ended. `said` is the error that its process printed. */
export type LinkEnd =
  | BackgroundEnd
  | { is: 'not-started'; error: Error }
  | { is: 'killed'; signal: NodeJS.Signals }
  | { is: 'ended'; code: number | null; said: { message: string; nextStep: string | null } | null }

export type LinkProcess<Why> = Pick<LinkReports, 'device' | 'inStep'> & {
  /** Resolves to null when the link ends with its run, else to what `whyEnded` has made of its end. */
  ended: Promise<Why | null>
}

export type LinkStart<Why> = StartedAgain & {
  state: StateFolder
  /** More arguments for `farhand link`, also whenever it is started again. */
  words?: readonly string[]
  /** Arguments for this start only. */
  once?: readonly string[]
  onProgress?: (how: LinkProgress) => void
  /** Has a daemon run that restarts the link; null if there can be none. */
  ensureDaemon: () => Promise<unknown | null>
  /** Makes an error of an end, with which `device` and `inStep` reject; `log` is the output of the process. */
  whyEnded: (end: LinkEnd, log: string) => Why
}

/**
 * Starts a process that keeps a folder in sync with its run. It outlives this process and its terminal, and ends with the
 * run; the daemon starts it again when it dies.
 */
export function startLinkProcess<Why>(
  { url, token, at, workspace }: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  { state, words = [], once = [], onProgress = () => {}, ensureDaemon, whyEnded, ...again }: LinkStart<Why>,
): LinkProcess<Why> {
  mkdirSync(state.placeOf(workspace), { recursive: true, mode: 0o700 })
  // Recorded first: if this process dies, the daemon goes on.
  new BackgroundLinks(state).set(workspace, { is: 'live', since: Date.now(), words: [...words] })
  const file = linkLog(state, workspace)
  const address = `${at.project}/${at.task}/${at.run}`
  const about = ['--run', address, '--hub', url]
  const child = spawnLink(workspace, state, { about, words: [...words, ...once], token }, again)
  const reports = new LinkReports(file, onProgress)
  // Not before the link has taken the folder, or the daemon would start a second one.
  const daemon = reports.device.then(ensureDaemon).catch(() => null)
  const ended = new Promise<Why | null>((resolve) => {
    const over = (end: LinkEnd) => {
      const why = whyEnded(end, file)
      reports.over(why)
      resolve(end.is === 'run-closed' ? null : why)
    }
    const died = async (end: LinkEnd) => {
      // A link that never had the folder would only die again.
      const isKept = reports.hasLinked() && (await daemon) !== null
      over(isKept ? await followBackgroundLink(workspace, state) : end)
    }
    child.on('error', (error) => void died({ is: 'not-started', error }))
    child.on('exit', (code, signal) => {
      if (code === 0) return over({ is: 'run-closed' })
      if (signal) return void died({ is: 'killed', signal })
      const end = { is: 'ended' as const, code, said: reports.lastWords() }
      if (end.said) over(end)
      else void died(end)
    })
  })
  return { device: reports.device, inStep: reports.inStep, ended }
}

/** The link of a folder that another process keeps in sync already; null if none does. */
export function followLinkProcess(
  { workspace }: Pick<KnownRun, 'workspace'>,
  state: StateFolder,
): (Pick<LinkReports, 'device' | 'inStep'> & { ended: Promise<BackgroundEnd> }) | null {
  const link = state.find(workspace)
  if (!link || new BackgroundLinks(state).find(workspace)?.is !== 'live') return null
  const { device } = link
  // That process prints the number of files itself.
  return {
    device: Promise.resolve(device),
    inStep: Promise.resolve({ files: 0 }),
    ended: followBackgroundLink(workspace, state),
  }
}
