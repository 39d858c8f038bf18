import {
  followLinkProcess,
  type LinkEnd,
  type LinkProcess,
  type LinkStart,
  startLinkProcess,
} from '@farhand/device/linked-folders/link-process'
import { linkLog } from '@farhand/device/linked-folders/spawn-link'
import type { KnownRun } from '@farhand/device/local-runs/local-runs'
import { type Exit, Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { ensureUserDaemon } from './ensure-user-daemon.ts'
import { pausedTrouble } from './paused-trouble.ts'

export type StartedLink = LinkProcess<Trouble>

type How = Pick<LinkStart<Trouble>, 'state' | 'words' | 'once' | 'onProgress'>

/** Starts a link as `startLinkProcess` does, and says to the user how it ended. */
export function startLink(
  known: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  how: How,
  context: CommandContext,
): StartedLink {
  const { self, env } = context
  return startLinkProcess<Trouble>(known, {
    ...how,
    self,
    env,
    ensureDaemon: () => ensureUserDaemon(how.state.root, context),
    whyEnded: (end, log) => endTrouble(end, log, known, context),
  })
}

/** The link of a folder that another process keeps in sync already; null if none does. */
export function followLink(
  known: Pick<KnownRun, 'at' | 'workspace'>,
  state: StateFolder,
  context: CommandContext,
): StartedLink | null {
  const link = followLinkProcess(known, state)
  if (!link) return null
  void ensureUserDaemon(state.root, context)
  const log = linkLog(state, known.workspace)
  const ended = link.ended.then((end) =>
    end.is === 'run-closed' ? null : endTrouble(end, log, known, context),
  )
  return { ...link, ended }
}

function endTrouble(
  end: LinkEnd,
  log: string,
  { at, workspace }: Pick<KnownRun, 'at' | 'workspace'>,
  context: CommandContext,
): Trouble {
  const goOn = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` links it again. ${log} holds its output.`
  switch (end.is) {
    case 'run-closed':
      return new Trouble('runClosed', `${runInWords(at.run)} was closed.`, 'Begin another one.')
    case 'paused':
      return pausedTrouble(workspace, context)
    case 'failed':
      return new Trouble('failed', end.message, end.nextStep)
    case 'not-started':
      return new Trouble('failed', `${workspace} could not be linked: ${end.error.message}`, goOn)
    case 'killed':
      return new Trouble('failed', `What kept ${workspace} in sync was killed (${end.signal}).`, goOn)
    case 'ended': {
      const { code, said } = end
      if (said) return new Trouble(exitOf(code), said.message, said.nextStep ?? goOn)
      const how = `What kept ${workspace} in sync has ended with exit code ${code}.`
      return new Trouble('failed', how, goOn)
    }
  }
}

const exitOf = (code: number | null) =>
  (Object.entries(exitCodes).find(([, one]) => one.code === code)?.[0] ?? 'failed') as Exit
