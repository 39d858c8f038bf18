import type { DaemonAnswer } from '@farhand/device/daemon/daemon-protocol'
import { ensureDaemon } from '@farhand/device/daemon/ensure-daemon'
import { version } from '../context/version.ts'
import type { World } from '../context/world.ts'
import { environmentFor } from '../local-runs/start-runner.ts'

/** The daemon of this state folder, started if there is none; null if there is none to be had. */
export const ensureUserDaemon = (state: string, world: World): Promise<DaemonAnswer | null> =>
  ensureDaemon({
    state,
    version,
    self: world.self,
    env: environmentFor(undefined, world),
    onReplaced: (old) =>
      world.note(`The daemon of Farhand ${old.version} gives way to that of ${version}.\n`),
  })
