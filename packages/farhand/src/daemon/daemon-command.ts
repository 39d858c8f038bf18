import { userKeychain } from '@farhand/device/account/user-keychain'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { runDaemon } from '@farhand/device/daemon/run-daemon'
import { linkLog, spawnLink } from '@farhand/device/linked-folders/spawn-link'
import { reviveLocalHub } from '@farhand/device/local-hub/revive-local-hub'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { version } from '../context/version.ts'
import { localHubParts } from '../local-hub/local-hub-parts.ts'

/** Runs as the only daemon of this user until there is no folder left to keep in sync. */
export async function daemonCommand(flags: { state?: unknown }, context: CommandContext): Promise<void> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  // The daemon has time for a slow keychain; the command that stored the token had not.
  if (userKeychain(state.root, context)) state.tokens.moveToKeychain()
  const over = new AbortController()
  // Runs and their sandboxes need their hub also when no command is running.
  void reviveLocalHub(state, localHubParts({ ...context, terminal: false }), over.signal)
  const other = await runDaemon({
    kept: new BackgroundLinks(state),
    version,
    signal: context.stop,
    start(folder, { words }) {
      const child = spawnLink(folder, state, { words }, context)
      const ended = new Promise<void>((resolve) => {
        for (const end of ['error', 'exit'] as const) child.on(end, () => resolve())
      })
      return { pid: child.pid, ended }
    },
    gaveUp: (folder, times) => ({
      message: `The process that keeps ${folder} in sync died ${times} times in a row.`,
      nextStep: `${linkLog(state, folder)} has its last output. \`${context.called.farhand} resume ${folder}\` tries again.`,
    }),
  }).finally(() => over.abort())
  if (!other) return
  const next = `\`${context.called.farhand} status\` shows what it keeps.`
  throw new Trouble('alreadyRunning', `The daemon is running already, process ${other.holder}.`, next)
}
