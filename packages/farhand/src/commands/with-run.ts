import { post } from '@farhand/client/post/post'
import type { ReachedRun } from '@farhand/device/find-run/reach-run'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { nullIfStopped } from '../command-line/errors/null-if-stopped.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { chooseRun } from './find-run/choose-run.ts'
import { type ReachFlags, reachRun } from './find-run/reach-run.ts'

/** Acts on the run that the user named, else on the run of the working folder; a refusal of the hub becomes Trouble. */
export const withRun = (
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
  act: (reached: ReachedRun) => Promise<void>,
): Promise<void> =>
  withJsonErrors(flags, context, async () => {
    const run = named ?? (await nullIfStopped(context, () => chooseRun(flags, context, { ends: true })))
    if (run === null) return
    const reached = await reachRun(run, flags, context)
    try {
      await act(reached)
    } catch (error) {
      if (context.stop.aborted) return
      const { run } = reached.at
      const reopening = `\`${context.called.farhand} run --run ${runInWords(run)} "..."\` opens it again.`
      throw hubTrouble(error, reached.hub.url, context, reopening) ?? error
    }
  })

/** Posts an event to the run; it is tried for as long as any request. */
export const postTo = <Name extends EventName>(
  { hub, at }: ReachedRun,
  name: Name,
  params: EventParams<Name>,
  context: CommandContext,
  key?: string,
) => post(hub, at, event(name, params), { signal: context.stop, patienceMs, ...(key && { key }) })
