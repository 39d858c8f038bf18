import { allRuns } from '@farhand/device/find-run/all-runs'
import { hubFilter, isWanted, type RunFilter } from '@farhand/device/find-run/run-filter'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { lettersShown } from '@farhand/device/wording/run-in-words'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import { titleWithSchedule } from '@farhand/story/wording/schedule-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../terminal/printing/paint.ts'
import { firstLine } from '../terminal/printing/shown-text.ts'
import { whileWaiting } from '../terminal/printing/while-waiting.ts'
import { hubAccess } from './find-run/hub-access.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { stateInWords } from './run-state.ts'

const mostShown = 20
const leastTitle = 12
const mostTitle = 50
// A narrower window has no room for dates.
const withDates = 70

type ListFlags = ReachFlags & { all?: unknown; status?: unknown; project?: unknown; agent?: unknown }

/** `farhand ls`: lists the runs of a hub, newest first, with their state, agent and open questions. */
export const lsCommand = (text: string | undefined, flags: ListFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const filter = filterFrom(flags)
    const place = stateFolderPath(flags.state, context)
    const hub = await hubAccess(flags, new StateFolder(place), context, { folder: context.cwd })
    const options = { signal: context.stop, patienceMs }
    try {
      const most = flags.all ? Number.POSITIVE_INFINITY : mostShown
      const { runs, areMore } = await whileWaiting('looking through the runs', context, () =>
        allRuns(hub, {
          ...options,
          ...hubFilter(filter),
          ...(text && { find: text }),
          only: (run) => isWanted(run, filter),
          most,
        }),
      )
      const isFiltered = text !== undefined || Object.keys(filter).length > 0
      if (runs.length === 0 && isFiltered && !flags.json) return context.out('No run matches.\n')
      const here = new KnownRuns(place)
      if (flags.json)
        for (const run of runs) context.out(`${JSON.stringify(asJson(run, here.holder(run.id)))}\n`)
      else table(runs, areMore, here, context)
    } catch (error) {
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })

const filterFrom = ({ status, project, agent }: ListFlags): RunFilter => ({
  ...(status !== undefined && { status: String(status) }),
  ...(project !== undefined && { project: String(project) }),
  ...(agent !== undefined && { agent: String(agent) }),
})

const asJson = ({ now, ...run }: ListedRun, pid: number | null) => ({
  run: run.id,
  task: run.task,
  project: run.project,
  projectName: run.projectName,
  title: run.title,
  agent: run.agent,
  createdAt: run.createdAt,
  status: now?.status ?? null,
  agentStatus: now?.agentStatus ?? null,
  mode: now?.mode ?? run.mode,
  questions: now?.questions ?? 0,
  schedule: run.schedule?.name ?? null,
  sandbox: run.sandbox === 'none' ? null : run.sandbox,
  sandboxHealthy: now?.sandboxHealthy ?? null,
  pid,
})

function table(runs: readonly ListedRun[], areMore: boolean, here: KnownRuns, context: CommandContext): void {
  const { bold, dim, yellow } = paint(context.color)
  if (runs.length === 0)
    context.out(`There is no run yet. Begin one: ${context.called.farhand} run --agent rehearsal "help"\n`)
  const length = uniqueLength(runs.map(({ id }) => id))
  const agents = runs.map(({ agent }) => (agent === null ? '-' : lineInWords(agent)))
  const width = Math.max(5, ...agents.map((agent) => agent.length))
  const states = runs.map((run) => stateInWords(run, here.holder(run.id)))
  const stateWidth = Math.max(9, ...states.map((state) => state.length))
  for (const [at, { now, ...run }] of runs.entries()) {
    const id = bold(run.id.slice(0, length))
    const when = context.columns < withDates ? '' : `  ${run.createdAt.slice(0, 16).replace('T', ' ')}`
    const asks = now !== null && now.questions > 0
    const state = (asks ? yellow : String)(states[at]!.padEnd(stateWidth))
    const room = context.columns - (length + stateWidth + width + when.length + 6)
    const title = firstLine(titleWithSchedule(run), Math.max(leastTitle, Math.min(mostTitle, room)))
    context.out(`${id}  ${state}  ${agents[at]!.padEnd(width)}${dim(when)}  ${title}\n`)
  }
  if (areMore) context.out('and older ones: --all shows them\n')
}

/** How many letters tell each of these ids from all others; at least as many as are usually shown, so that new runs seldom make them ambiguous. */
function uniqueLength(ids: readonly string[]): number {
  const sorted = [...ids].sort()
  let most = lettersShown
  for (const [at, id] of sorted.entries()) {
    const next = sorted[at + 1] ?? ''
    let same = 0
    while (same < id.length && id[same] === next[same]) same += 1
    most = Math.max(most, same + 1)
  }
  return most
}
