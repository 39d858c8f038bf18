import { findRun, runStatus } from '@farhand/client/resources/resources'
import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { stateFolderPath } from '../context/state-folder-path.ts'
import { hubTrouble, patienceMs } from '../errors/hub-trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { allRuns } from '../find-run/all-runs.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'
import { LocalRuns } from '../local-runs/local-runs.ts'
import { paint } from '../printing/paint.ts'
import { lineInWords } from '../printing/path-in-words.ts'
import { lettersShown, runInWords } from '../printing/run-in-words.ts'
import { firstLine } from '../printing/shown-text.ts'
import { whileWaiting } from '../printing/while-waiting.ts'
import { questionInWords } from '../questions/question-in-words.ts'
import { askedOfHub, isWanted, type RunFilter } from '../runs-list/run-filter.ts'

const mostShown = 20
const leastTitle = 12
const mostTitle = 50
// A narrower window has no room for them.
const withDates = 70

type ListFlags = ReachFlags & { all?: unknown; status?: unknown; project?: unknown; agent?: unknown }

/** Lists the runs of a hub, newest first: how they stand, who works on them, and what they ask. */
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
          ...askedOfHub(filter),
          ...(text && { find: text }),
          only: (run) => isWanted(run, filter),
          most,
        }),
      )
      const isFiltered = text !== undefined || Object.keys(filter).length > 0
      if (runs.length === 0 && isFiltered && !flags.json) return context.out('No run is like that.\n')
      const here = new LocalRuns(place)
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
  sandbox: run.sandbox === 'none' ? null : run.sandbox,
  sandboxHealthy: now?.sandboxHealthy ?? null,
  pid,
})

function table(runs: readonly ListedRun[], areMore: boolean, here: LocalRuns, context: CommandContext): void {
  const { bold, dim, yellow } = paint(context.color)
  if (runs.length === 0)
    context.out(`There is no run yet. Begin one: ${context.called.farhand} run --agent rehearsal "help"\n`)
  const length = uniqueLength(runs.map(({ id }) => id))
  const agents = runs.map(({ agent }) => (agent === null ? '-' : lineInWords(agent)))
  const width = Math.max(5, ...agents.map((agent) => agent.length))
  const states = runs.map(({ id, now, sandbox }) =>
    now ? stateInWords({ ...now, sandbox }, here.holder(id)) : 'unknown',
  )
  const stateWidth = Math.max(9, ...states.map((state) => state.length))
  for (const [at, { now, ...run }] of runs.entries()) {
    const asks = now?.questions ?? 0
    const questions = asks === 0 ? '' : yellow(`  ${asks === 1 ? 'asks something' : `asks ${asks} things`}`)
    const id = bold(run.id.slice(0, length))
    const when = context.columns < withDates ? '' : `  ${run.createdAt.slice(0, 16).replace('T', ' ')}`
    const state = states[at]!.padEnd(stateWidth)
    const room = context.columns - (length + stateWidth + width + when.length + 6) - (asks === 0 ? 0 : 16)
    const title = firstLine(run.title, Math.max(leastTitle, Math.min(mostTitle, room)))
    context.out(`${id}  ${state}  ${agents[at]!.padEnd(width)}${dim(when)}  ${title}${questions}\n`)
  }
  if (areMore) context.out('and older ones: --all shows them\n')
}

/** How many letters tell each of these ids from all others; never so few that tomorrow's run would be in the way. */
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

type Standing = Pick<RunNow, 'status' | 'agentStatus' | 'sandboxHealthy'> & { sandbox?: string | null }

/** What a run does, in a word: closed, asleep and their like, or what its agent does. */
const stateInWords = (now: Standing, pid: number | null) =>
  isLeft(now, pid) ? 'no runner' : now.status === 'active' ? now.agentStatus : now.status

/** Whether its log says that somebody is at work, and nobody is: a runner that was killed has not said that it ends. */
const isLeft = ({ status, agentStatus, sandboxHealthy, sandbox }: Standing, pid: number | null) =>
  status === 'active' &&
  agentStatus !== 'idle' &&
  sandboxHealthy === false &&
  pid === null &&
  // Of its own sandboxes the hub replaces those that are not.
  (!sandbox || sandbox === 'none')

/** Says how a run stands, or without one how everything on this machine does. */
export const statusCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  named === undefined
    ? import('../daemon/status-command.ts').then(({ machineStatus }) => machineStatus(flags, context))
    : withJsonErrors(flags, context, async () => {
        const { hub, at, known } = await reachRun(named, flags, context)
        const pid = new LocalRuns(stateFolderPath(flags.state, context)).holder(at.run)
        const options = { signal: context.stop, patienceMs }
        const [now, run] = await Promise.all([
          runStatus(hub, at, options),
          findRun(hub, at.run, options),
        ]).catch((error: unknown) => {
          throw hubTrouble(error, hub.url, context) ?? error
        })
        const { agent = run.agent, workspace = null } = known ?? {}
        const agentName = lineInWords(agent ?? 'Its agent')
        const sandbox = run.sandbox === 'none' ? null : run.sandbox
        if (flags.json)
          return context.out(
            `${JSON.stringify({ ...at, hub: hub.url, agent, workspace, pid, sandbox, ...now })}\n`,
          )
        const { bold } = paint(context.color)
        const standing = { ...now, sandbox }
        context.out(`${bold(at.run)}  ${stateInWords(standing, pid)}, ${now.mode}\n`)
        if (sandbox !== null) {
          const { sandboxInWords } = await import('./run/sandbox-in-words.ts')
          const state = new StateFolder(stateFolderPath(flags.state, context))
          const where = { agent: agentName, workspace: workspace ?? '', at, hub }
          for (const line of await sandboxInWords(where, now, state, context)) context.out(`  ${line}\n`)
        } else if (known) {
          const isAway = pid === null && now.sandboxHealthy
          const runner = pid === null ? 'no runner here now' : `runner: process ${pid}`
          context.out(
            isAway ? `  ${agentName} on another device\n` : `  ${agentName} in ${workspace}; ${runner}\n`,
          )
        }
        if (isLeft(standing, pid))
          context.out(
            `  Nobody is at work on it, though a turn is open: \`${context.called.farhand} run --run ${runInWords(at.run)}\` goes on.\n`,
          )
        for (const question of now.pendingQuestions)
          context.out(
            `  ${question.questionId}\n${questionInWords(question)
              .map((line) => `  ${line}\n`)
              .join('')}`,
          )
        const { farhand } = context.called
        if (now.pendingQuestions.length > 0)
          context.out(`Answer: ${farhand} answer ${runInWords(at.run)} <answer>\n`)
      })
