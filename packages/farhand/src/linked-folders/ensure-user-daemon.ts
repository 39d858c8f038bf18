import type { DaemonAnswer } from '@farhand/device/daemon/daemon-protocol'
import { ensureDaemon } from '@farhand/device/daemon/ensure-daemon'
import { backgroundEnvironment } from '@farhand/device/local-runs/background-environment'
import type { CommandContext } from '../context/command-context.ts'
import { version } from '../context/version.ts'

/** The daemon of this state folder, started if none runs; null if it cannot be started. */
export const ensureUserDaemon = (state: string, context: CommandContext): Promise<DaemonAnswer | null> =>
  ensureDaemon({
    state,
    version,
    self: context.self,
    env: backgroundEnvironment(undefined, context.env),
    onReplaced: (old) =>
      context.note(`The daemon of Farhand ${old.version} gives way to that of ${version}.\n`),
  })
