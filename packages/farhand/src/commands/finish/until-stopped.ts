import { nullIfStopped } from '../../command-line/errors/null-if-stopped.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'

/** As `withJsonErrors`, for an action that may take long: when the user stops it, that is no error. */
export const untilStopped = (
  flags: { json?: unknown; state?: unknown },
  context: CommandContext,
  act: () => Promise<void>,
) =>
  withJsonErrors(flags, context, async () => {
    await nullIfStopped(context, act, 'Stopped before it was done.')
  })
