import { mkdirSync } from 'node:fs'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { type LinkProgress, LinkReports } from '@farhand/device/linked-folders/link-reports'
import type { KnownRun } from '@farhand/device/local-runs/local-runs'
import { type Exit, Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { ensureUserDaemon } from './ensure-user-daemon.ts'
import { followBackgroundLink } from './follow-background-link.ts'
import { linkLog, spawnLink } from './spawn-link.ts'

export type StartedLink = Pick<LinkReports, 'device' | 'inStep'> & {
  /** Resolves to null when the link ends with its run, else to the Trouble that ended it. */
  ended: Promise<Trouble | null>
}

type How = {
  state: StateFolder
  /** More arguments for `farhand link`, also whenever it is started again. */
  words?: readonly string[]
  /** Arguments for this start only. */
  once?: readonly string[]
  onProgress?: (how: LinkProgress) => void
}

/**
 * Starts a process that keeps a folder in sync with its run. It outlives this process and its terminal, and ends with the
 * run; the daemon starts it again when it dies.
 */
export function startLink(
  { url, token, at, workspace }: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  { state, words = [], once = [], onProgress = () => {} }: How,
  context: CommandContext,
): StartedLink {
  mkdirSync(state.placeOf(workspace), { recursive: true, mode: 0o700 })
  // Recorded first: if this process dies, the daemon goes on.
  new BackgroundLinks(state).set(workspace, { is: 'live', since: Date.now(), words: [...words] })
  const file = linkLog(state, workspace)
  const address = `${at.project}/${at.task}/${at.run}`
  const about = ['--run', address, '--hub', url]
  const child = spawnLink(workspace, state, { about, words: [...words, ...once], token }, context)
  const reports = new LinkReports(file, onProgress)
  // Not before the link has taken the folder, or the daemon would start a second one.
  const daemon = reports.device.then(() => ensureUserDaemon(state.root, context)).catch(() => null)
  const ended = new Promise<Trouble | null>((resolve) => {
    const over = (how: Trouble | null) => {
      reports.over(how ?? new Trouble('runClosed', `${runInWords(at.run)} was closed.`, 'Begin another one.'))
      resolve(how)
    }
    const goOn = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` links it again. ${file} holds its output.`
    const died = async (how: string) => {
      // A link that never had the folder would only die again.
      const isKept = reports.hasLinked() && (await daemon) !== null
      over(isKept ? await followBackgroundLink(workspace, state, context) : new Trouble('failed', how, goOn))
    }
    child.on('error', (error) => void died(`${workspace} could not be linked: ${error.message}`))
    child.on('exit', (code, signal) => {
      if (code === 0) return over(null)
      if (signal) return void died(`What kept ${workspace} in sync was killed (${signal}).`)
      const said = reports.lastWords()
      if (!said) return void died(`What kept ${workspace} in sync has ended with exit code ${code}.`)
      over(new Trouble(exitOf(code), said.message, said.nextStep ?? goOn))
    })
  })
  return { device: reports.device, inStep: reports.inStep, ended }
}

/** The link of a folder that another process keeps in sync already; null if none does. */
export function followLink(
  { workspace }: Pick<KnownRun, 'workspace'>,
  state: StateFolder,
  context: CommandContext,
): StartedLink | null {
  const link = state.find(workspace)
  if (!link || new BackgroundLinks(state).find(workspace)?.is !== 'live') return null
  void ensureUserDaemon(state.root, context)
  const { device } = link
  // That process prints the number of files itself.
  return {
    device: Promise.resolve(device),
    inStep: Promise.resolve({ files: 0 }),
    ended: followBackgroundLink(workspace, state, context),
  }
}

const exitOf = (code: number | null) =>
  (Object.entries(exitCodes).find(([, one]) => one.code === code)?.[0] ?? 'failed') as Exit
