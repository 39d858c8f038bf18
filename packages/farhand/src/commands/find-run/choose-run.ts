import { allRuns } from '@farhand/device/find-run/all-runs'
import { whichRun } from '@farhand/device/find-run/which-run'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { isWithin, StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseOne } from '../../terminal/choice/choose-one.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'
import { hubAccess } from './hub-access.ts'
import type { ReachFlags } from './reach-run.ts'

const mostListed = 200
const mostNamed = 9

/**
 * The run of a command that names none: the run of the folder, the only open one, or the one that the user chooses. With
 * `ends`, it is never the run of another folder if this folder has had one; with `changes`, the user has to choose the run of
 * another folder even if it is the only one.
 */
export async function chooseRun(
  flags: ReachFlags,
  context: CommandContext,
  { ends = false, changes = false } = {},
): Promise<RunId> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const hub = await hubAccess(flags, state, context, { folder: context.cwd })
  const asking = { signal: context.stop, patienceMs, most: mostListed }
  const { runs: listed } = await whileWaiting('looking through the runs', context, () =>
    allRuns(hub, asking).catch(asHubTrouble(hub.url, context)),
  )
  const linked = state.around(context.cwd)?.at.run ?? null
  const isHere = ({ workspace }: { workspace: string }) =>
    workspace !== '' && isWithin(workspace, context.cwd)
  const ofFolder = new KnownRuns(state.root).all().filter(isHere)
  const which = whichRun({ linked, ofFolder: ofFolder.map(({ at }) => at.run), listed, ends })
  if (which.is === 'none') throw noneOpen(which.closed, context)
  if (which.is === 'this') {
    const only = changes && which.why === 'only' && listed.find(({ id }) => id === which.run)
    return only ? await askedFor([only], true, context) : which.run
  }
  if (!context.ask || flags.json)
    throw new Trouble(
      'usage',
      `Which run? ${which.among.length} are open: ${which.among
        .slice(0, mostNamed)
        .map(({ id }) => runInWords(id))
        .join(', ')}.`,
      `Name one; \`${context.called.farhand} ls\` says what they do.`,
    )
  return await askedFor(which.among, ends, context)
}

async function askedFor(among: readonly ListedRun[], ends: boolean, context: CommandContext): Promise<RunId> {
  const { dim, yellow } = paint(context.color)
  const shown = among.slice(0, mostNamed)
  const older = among.length - shown.length
  const entries = shown.map(({ id, projectName, title, agent, now }) => {
    const asks = now?.questions ? yellow('  asks something') : ''
    const about = dim(`${projectName}, ${agent ?? 'no agent'}, ${now?.agentStatus ?? 'unknown'}`)
    return { says: `${runInWords(id)}  ${firstLine(title, 50)}  ${about}${asks}` }
  })
  const question = older > 0 ? `Which run? ${older} older ones are not listed here.` : 'Which run?'
  // For a command that ends a run no entry is preselected: an Enter too many must not end the newest one.
  const at = await chooseOne({ question, entries, usual: ends ? null : 0 }, context)
  const chosen = typeof at === 'number' ? shown[at] : undefined
  if (chosen) return chosen.id
  const exit = at === 'interrupted' ? 'interrupted' : 'usage'
  throw new Trouble(exit, 'No run was chosen.', `\`${context.called.farhand} ls\` lists them.`)
}

function noneOpen(closed: RunId | null, { called }: CommandContext): Trouble {
  const { farhand } = called
  const next =
    closed === null
      ? `Begin one: ${farhand} run "..."`
      : `Say something to open that of this folder again: ${farhand} attach ${runInWords(closed)} "...". Or begin one: ${farhand} run "..."`
  return new Trouble('usage', 'No run is open.', next)
}
