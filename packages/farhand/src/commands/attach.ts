import { nullIfStopped } from '../command-line/errors/null-if-stopped.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { chooseRun } from './find-run/choose-run.ts'
import { agentRun } from './run/agent-run.ts'
import type { AgentRunFlags } from './run/run-flags.ts'

/** Attaches to a run: prints what has happened since, and then is the same conversation as `run`. */
export const attachCommand = (
  named: string | undefined,
  prompt: string | undefined,
  flags: AgentRunFlags,
  context: CommandContext,
) =>
  withJsonErrors(flags, context, async () => {
    const run = named ?? (await nullIfStopped(context, () => chooseRun(flags, context)))
    if (run !== null) await agentRun(prompt, { ...flags, run }, context)
  })
