import { mkdirSync } from 'node:fs'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { type Exit, exitCodes } from '../errors/exit-codes.ts'
import { Trouble } from '../errors/trouble.ts'
import type { KnownRun } from '../local-runs/local-runs.ts'
import { runInWords } from '../printing/run-in-words.ts'
import { ensureUserDaemon } from './ensure-user-daemon.ts'
import { followBackgroundLink } from './follow-background-link.ts'
import { type LinkProgress, LinkReports } from './link-reports.ts'
import { linkLog, spawnLink } from './spawn-link.ts'

export type StartedLink = Pick<LinkReports, 'device' | 'inStep'> & {
  /** Resolves to null when it ends as it should, which is with the run, and to what it said if not. */
  ended: Promise<Trouble | null>
}

type How = {
  state: StateFolder
  /** More words for `farhand link`, which also count whenever it is started again. */
  words?: readonly string[]
  /** Words for this time only. */
  once?: readonly string[]
  onProgress?: (how: LinkProgress) => void
}

/**
 * Has a folder kept in sync with its run from now on, by a process of its own that outlives this one and its terminal and
 * ends with the run. The daemon starts it again when it dies.
 */
export function startLink(
  { url, token, at, workspace }: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  { state, words = [], once = [], onProgress = () => {} }: How,
  context: CommandContext,
): StartedLink {
  mkdirSync(state.placeOf(workspace), { recursive: true, mode: 0o700 })
  // First of all: whoever finds this goes on, whatever becomes of us.
  new BackgroundLinks(state).set(workspace, { is: 'live', since: Date.now(), words: [...words] })
  const file = linkLog(state, workspace)
  const address = `${at.project}/${at.task}/${at.run}`
  const about = ['--run', address, '--hub', url]
  const child = spawnLink(workspace, state, { about, words: [...words, ...once], token }, context)
  const reports = new LinkReports(file, onProgress)
  // Not before it has the folder: the daemon would start a second one.
  const daemon = reports.device.then(() => ensureUserDaemon(state.root, context)).catch(() => null)
  const ended = new Promise<Trouble | null>((resolve) => {
    const over = (how: Trouble | null) => {
      reports.over(how ?? new Trouble('runClosed', `${runInWords(at.run)} was closed.`, 'Begin another one.'))
      resolve(how)
    }
    const goOn = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` links it again. ${file} holds what it said.`
    const died = async (how: string) => {
      // One that has never had the folder would only die again.
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

/** The link of a folder that is kept already: whoever has something to say need not wait for it. */
export function followLink(
  { workspace }: Pick<KnownRun, 'workspace'>,
  state: StateFolder,
  context: CommandContext,
): StartedLink | null {
  const link = state.find(workspace)
  if (!link || new BackgroundLinks(state).find(workspace)?.is !== 'live') return null
  void ensureUserDaemon(state.root, context)
  const { device } = link
  // How many files there are is told where it becomes true.
  return {
    device: Promise.resolve(device),
    inStep: Promise.resolve({ files: 0 }),
    ended: followBackgroundLink(workspace, state, context),
  }
}

const exitOf = (code: number | null) =>
  (Object.entries(exitCodes).find(([, one]) => one.code === code)?.[0] ?? 'failed') as Exit
