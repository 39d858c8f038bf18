import { userKeychain } from '@farhand/device/account/user-keychain'
import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { deviceLog } from '@farhand/device/device-process/device-folder'
import { warmLinkThread } from '@farhand/device/device-process/link-thread'
import { runDevice } from '@farhand/device/device-process/run-device'
import { shortenLog } from '@farhand/device/device-process/shorten-log'
import { folderTaken } from '@farhand/device/linked-folders/lock-folder'
import { reviveLocalHub } from '@farhand/device/local-hub/revive-local-hub'
import { RequestServing } from '@farhand/device/request-serving/serve-requests'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { releaseMemory } from '@farhand/sync/disk/release-memory'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { pauseAdvice } from '../link/link-troubles.ts'
import { localHubParts } from '../local-hub/local-hub-parts.ts'
import type { ThreadContext } from './worker.ts'
import { workerSource } from './worker-source.ts'

const startedMs = 5_000

/** Compiled code of an earlier thread is used again, as for a command; where what does that is missing it runs without. */
const runSource = `
{
  const { workerData } = require('node:worker_threads')
  const file = require('node:url').fileURLToPath(workerData.startedFrom)
  let run = (text) => (0, eval)('(function (require) {' + text + '\\n})')(require('node:module').createRequire(file))
  try {
    const { runText } = require(require('node:path').join(file, '../../build/run-program.cjs'))
    run = (text) => runText(Buffer.from(text), file, 'thread', true)
  } catch {}
  const text = workerData.source
  // Each thread would keep it as often as it is named.
  workerData.source = undefined
  run(text)
}`

/** Runs as the only device process of this user until there is no folder left to keep in sync. */
export async function deviceCommand(flags: { state?: unknown }, context: CommandContext): Promise<void> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const { called, self, cwd, home, platform } = context
  // That was meant for this process alone.
  const { MALLOC_ARENA_MAX: _, ...env } = context.env
  const ofThreads: ThreadContext = { called, env, self, cwd, home, platform, state: state.root }
  const threads = {
    ...{ program: runSource, source: workerSource },
    ...{ startedFrom: import.meta.url, context: ofThreads },
  }
  // There is time for a slow keychain here; the command that stored the token had none.
  if (userKeychain(state.root, context) && state.tokens.areInFiles())
    void warmLinkThread(threads).then(({ worker }) => worker.postMessage({ is: 'keep-tokens' }))
  // Most of what a start takes is not needed later.
  setTimeout(() => void releaseMemory(), startedMs).unref()
  const over = new AbortController()
  // Runs and their sandboxes need their hub also when no command is running.
  void reviveLocalHub(state, localHubParts({ ...context, env, terminal: false }), over.signal)
  const log = (line: string) => {
    // Its standard error is the log file.
    shortenLog(2)
    context.note(`${line}\n`)
  }
  const other = await runDevice({
    kept: new BackgroundLinks(state),
    also: new RequestServing({ state, self, env, log }),
    version,
    signal: context.stop,
    threads,
    log,
    words: {
      gaveUp: (folder, times) => ({
        message: `What keeps ${folder} in sync died${times === 1 ? '' : ` ${times} times in a row`}.`,
        nextStep: `${deviceLog(state.root)} says why. \`${called.farhand} resume ${folder}\` tries again.`,
      }),
      taken: (folder, pid) => folderTaken(folder, pid, pauseAdvice(folder, context)),
    },
  }).finally(() => over.abort())
  if (!other) return
  const next = `\`${called.farhand} status\` shows what it keeps.`
  throw new Trouble('alreadyRunning', `The device process is running already, process ${other.holder}.`, next)
}
