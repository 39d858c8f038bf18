import { basename } from 'node:path'
import { createProject } from '@farhand/client/resources/resources'
import { createSchedule } from '@farhand/client/resources/schedules'
import { projectNamed } from '@farhand/device/find-run/project-named'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { CatchUp, type NewSchedule, Overlap } from '@farhand/protocol/schemas/schedules'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'
import { saidOrPiped } from '../../terminal/prompts/piped-text.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { agentForSandbox } from '../run/sandbox-agent.ts'
import { type SandboxFlags, sandboxAsked } from '../run/sandbox-flags.ts'
import { inLines, zoneHere } from './schedule-in-lines.ts'
import { type TimingFlags, timingFromFlags, untilFrom } from './timing-from-flags.ts'

type AddFlags = ReachFlags &
  SandboxFlags &
  TimingFlags &
  Readonly<
    Partial<
      Record<
        | 'name'
        | 'agent'
        | 'project'
        | 'catchUp'
        | 'overlap'
        | 'until'
        | 'maxRuns'
        | 'pauseAfter'
        | 'callback'
        | 'callbackSecret',
        unknown
      >
    >
  >

/** `farhand schedule add`: has a hub start runs by itself, and says when. */
export const addScheduleCommand = (said: string, flags: AddFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const prompt = await saidOrPiped(said, context)
    if (prompt === null || prompt.trim() === '')
      throw new Trouble('usage', 'What should the agent do?', 'Give a message as the last argument.')
    const timing = timingFromFlags(flags, zoneHere())
    const policies = policiesFrom(flags)
    // Not null: a schedule has neither --run nor --here.
    const asked = sandboxAsked(flags)!
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const { agent, hub } = await agentForSandbox(context.cwd, asked, flags, state, context)
    const options = { signal: context.stop, patienceMs }
    try {
      const named = flags.project === undefined ? basename(context.cwd) : String(flags.project)
      const found = await projectNamed(hub, named, context.stop)
      if (!found && (flags.project !== undefined || named === ''))
        throw new Trouble(
          'usage',
          `There is no project ${named}.`,
          'Leave --project out to make one for this folder.',
        )
      const project = found ?? (await createProject(hub, { name: named }, options))
      const { kind: sandbox, terms } = asked
      const schedule: NewSchedule = {
        project: project.id,
        name: flags.name === undefined ? firstLine(prompt, 80) : String(flags.name),
        timing,
        run: { prompt, agent, sandbox, ...(Object.keys(terms).length > 0 && { terms }) },
        ...policies,
      }
      const made = await createSchedule(hub, schedule, options)
      if (flags.json) return context.out(`${JSON.stringify(made)}\n`)
      context.out(`${inLines(made, zoneHere(), context).join('\n')}\n`)
      if (terms.clone === undefined)
        context.note('Its runs begin in an empty folder: --clone <url> has them begin with a repository.\n')
    } catch (error) {
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })

function policiesFrom({ catchUp, overlap, until, maxRuns, pauseAfter, callback, callbackSecret }: AddFlags) {
  if (callbackSecret !== undefined && callback === undefined)
    throw new Trouble(
      'usage',
      '--callback-secret goes with --callback.',
      'Say whom to call: --callback https://...',
    )
  return {
    ...(catchUp !== undefined && { catchUp: CatchUp.parse(catchUp) }),
    ...(overlap !== undefined && { overlap: Overlap.parse(overlap) }),
    ...(until !== undefined && { until: untilFrom(until) }),
    ...(maxRuns !== undefined && { maxRuns: wholeNumber('--max-runs', maxRuns) }),
    ...(pauseAfter !== undefined && { pauseAfter: wholeNumber('--pause-after', pauseAfter) }),
    ...(callback !== undefined && {
      callback: {
        url: String(callback),
        ...(callbackSecret !== undefined && { secret: String(callbackSecret) }),
      },
    }),
  }
}

function wholeNumber(flag: string, said: unknown): number {
  if (/^[1-9]\d{0,6}$/.test(String(said))) return Number(said)
  throw new Trouble('usage', `${flag} is ${JSON.stringify(said)}.`, 'It takes a whole number from 1 up.')
}
