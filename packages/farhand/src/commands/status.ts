import { findListedRun, runStatus } from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../terminal/printing/paint.ts'
import { questionInWords } from '../terminal/questions/question-in-words.ts'
import { type ReachFlags, reachRun } from './find-run/reach-run.ts'

import { isLeft, stateInWords } from './run-state.ts'

/** `farhand status`: shows a run, or without one the hubs, linked folders and open runs of this machine. */
export const statusCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  named === undefined
    ? import('./device/status-command.ts').then(({ machineStatus }) => machineStatus(flags, context))
    : withJsonErrors(flags, context, async () => {
        const { hub, at, known } = await reachRun(named, flags, context)
        const pid = new KnownRuns(stateFolderPath(flags.state, context)).holder(at.run)
        const options = { signal: context.stop, patienceMs }
        const [now, run] = await Promise.all([
          runStatus(hub, at, options),
          findListedRun(hub, at.run, options),
        ]).catch(asHubTrouble(hub.url, context))
        const { agent = run.agent, workspace = null } = known ?? {}
        const agentName = lineInWords(agent ?? 'Its agent')
        const sandbox = run.sandbox === 'none' ? null : run.sandbox
        if (flags.json)
          return context.out(
            `${JSON.stringify({ ...at, hub: hub.url, agent, workspace, pid, sandbox, ...now })}\n`,
          )
        const { bold } = paint(context.color)
        context.out(`${bold(at.run)}  ${stateInWords(run, pid)}, ${now.mode}\n`)
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
        if (isLeft(run, pid))
          context.out(
            `  No runner works on it, though a turn is open: \`${context.called.farhand} run --run ${runInWords(at.run)}\` goes on.\n`,
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
