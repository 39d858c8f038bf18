import type { CommandContext } from '../context/command-context.ts'
import { Trouble } from '../errors/trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'

/** As `withJsonErrors`, for what may take a while: that somebody did not want to wait is no trouble. */
export const untilStopped = (
  flags: { json?: unknown; state?: unknown },
  context: CommandContext,
  act: () => Promise<void>,
) =>
  withJsonErrors(flags, context, () =>
    act().catch((error: unknown) => {
      if (!context.stop.aborted || error instanceof Trouble) throw error
      context.note('Stopped before it was done.\n')
    }),
  )
