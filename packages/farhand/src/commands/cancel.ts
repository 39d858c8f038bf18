import type { CommandContext } from '../context/command-context.ts'
import type { ReachFlags } from './find-run/reach-run.ts'

import { postTo, withRun } from './with-run.ts'

/** `farhand cancel`: ends the current turn; queued messages stay. */
export const cancelCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  withRun(named, flags, context, async (reached) => {
    const { lastEventId } = await postTo(reached, 'cancel', {}, context)
    const { run } = reached.at
    if (flags.json) context.out(`${JSON.stringify({ event: 'cancelled', run, eventId: lastEventId })}\n`)
    else context.note('The agent is told to stop what it is doing.\n')
  })
