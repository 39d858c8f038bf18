import { Trouble } from '../trouble.ts'
import { withJsonErrors } from '../with-json-errors.ts'
import type { World } from '../world.ts'

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
