import { deviceLog } from '@farhand/device/device-process/device-folder'
import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import {
  followBackgroundLink,
  type LinkStart,
  type RunningLink,
  startBackgroundLink,
} from '@farhand/device/linked-folders/background-link'
import { type Exit, Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { exitCodes } from '../../command-line/errors/exit-codes.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { ensureUserDevice } from './ensure-user-device.ts'
import { pausedTrouble } from './paused-trouble.ts'

export type StartedLink = RunningLink<Trouble>

type How = Pick<LinkStart<Trouble>, 'state' | 'words' | 'once' | 'onProgress'>

/** Links a folder in the background, and says to the user how that ended. */
export function startLink(
  known: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  how: How,
  context: CommandContext,
): StartedLink {
  return startBackgroundLink<Trouble>(known, { ...how, ...following(known, how.state, context) })
}

/** The link of a folder that is kept in sync in the background already; null if it is not. */
export const followLink = (
  known: Pick<KnownRun, 'at' | 'workspace'>,
  state: StateFolder,
  context: CommandContext,
): StartedLink | null => followBackgroundLink(known, following(known, state, context))

type Following = Pick<LinkStart<Trouble>, 'state' | 'ensureDevice' | 'whyEnded'>

function following(
  { at, workspace }: Pick<KnownRun, 'at' | 'workspace'>,
  state: StateFolder,
  context: CommandContext,
): Following {
  const goOn = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` links it again. ${deviceLog(state.root)} says more.`
  return {
    state,
    ensureDevice: () => ensureUserDevice(state.root, context),
    whyEnded(end) {
      switch (end.is) {
        case 'run-closed':
          return new Trouble('runClosed', `${runInWords(at.run)} was closed.`, 'Begin another one.')
        case 'paused':
          return pausedTrouble(workspace, context)
        case 'failed':
          return new Trouble(exitOf(end.exit), end.message, end.nextStep)
        case 'not-started':
          return new Trouble(
            'failed',
            `${workspace} could not be linked: the background process does not start.`,
            goOn,
          )
      }
    },
  }
}

const exitOf = (name: string) => (name in exitCodes ? name : 'failed') as Exit
