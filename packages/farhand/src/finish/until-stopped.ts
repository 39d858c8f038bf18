import type { CommandContext } from '../context/command-context.ts'
import { nullIfStopped } from '../errors/null-if-stopped.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'

/** As `withJsonErrors`, for an action that may take long: when the user stops it, that is no error. */
export const untilStopped = (
  flags: { json?: unknown; state?: unknown },
  context: CommandContext,
  act: () => Promise<void>,
) =>
  withJsonErrors(flags, context, async () => {
    await nullIfStopped(context, act, 'Stopped before it was done.')
  })
