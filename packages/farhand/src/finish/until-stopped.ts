import type { World } from '../context/world.ts'
import { Trouble } from '../errors/trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'

/** As `withJsonErrors`, for what may take a while: that somebody did not want to wait is no trouble. */
export const untilStopped = (
  flags: { json?: unknown; state?: unknown },
  world: World,
  act: () => Promise<void>,
) =>
  withJsonErrors(flags, world, () =>
    act().catch((error: unknown) => {
      if (!world.stop.aborted || error instanceof Trouble) throw error
      world.note('Stopped before it was done.\n')
    }),
  )
