import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { type RunToFinish, withRunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { realPath } from '@farhand/device/real-path'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { isWithin, type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { linkedRun } from '../find-run/linked-run.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'

/** Finds the run, reads its log, fetches its commits, and calls `act`. */
export async function withFoundRun<Result>(
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
  act: (run: RunToFinish) => Promise<Result>,
): Promise<Result> {
  const found = await whichRun(named, flags, context)
  const onSuspects = (says: readonly string[]) => {
    if (!flags.json)
      context.note(
        `Not run here, as a run may have written what it names: ${says.map(lineInWords).join(', ')}.\n`,
      )
  }
  const { env, stop } = context
  return await withRunToFinish(found, { env, stop, onSuspects }, act).catch(
    asHubTrouble(found.hub.url, context),
  )
}

type Which = { hub: Hub; at: RunAddress; folder: string; link: Link | null; state: StateFolder }

async function whichRun(
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
): Promise<Which> {
  const place = stateFolderPath(flags.state, context)
  const state = new StateFolder(place)
  const cwd = realPath(context.cwd)
  const isThere = (folder: string | undefined) => folder !== undefined && folder !== '' && existsSync(folder)
  if (named === undefined && state.around(cwd)) {
    const { hub, at, link } = await linkedRun(flags, context)
    return { hub, at, folder: isThere(link?.folder) ? link!.folder : cwd, link, state }
  }
  const { hub, at, known } = await reachRun(named ?? runAround(cwd, place, context), flags, context)
  const link = state.links().find((one) => one.at.run === at.run) ?? null
  const folder = [link?.folder, known?.workspace].find(isThere) ?? cwd
  return { hub, at, folder, link, state }
}

/** The run that works, or has worked, in the current folder. */
function runAround(cwd: string, place: string, { called }: CommandContext): string {
  const runs = new KnownRuns(place)
  const around = runs.all().filter(({ workspace }) => workspace !== '' && isWithin(workspace, cwd))
  const open = around.filter(({ at }) => runs.closedAt(at.run) === null)
  const found = open.length > 0 ? open : around
  const [only] = found
  if (only && found.length === 1) return only.at.run
  const some = found.map(({ at }) => at.run).slice(0, 5)
  const list = `\`${called.farhand} ls\` lists the runs that there are.`
  if (only)
    throw new Trouble('usage', `Which run? Several have worked here: ${some.join(', ')}.`, 'Name one.')
  throw new Trouble('usage', `Which run? None has worked in ${cwd}.`, `Name one: ${list}`)
}
