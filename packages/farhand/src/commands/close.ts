import { follow } from '@farhand/client/follow/follow'
import { closeRun, runStatus } from '@farhand/client/resources/resources'
import { untilHostEnds, wakeHost } from '@farhand/device/hosting/until-host-ends'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../context/command-context.ts'
import { whileWaiting } from '../terminal/printing/while-waiting.ts'
import type { ReachFlags } from './find-run/reach-run.ts'

import { withRun } from './with-run.ts'

/** `farhand close`: closes a run; resolves when it is closed and its runner here has ended. */
export const closeCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  withRun(named, flags, context, async ({ hub, at, known }) => {
    const { status, lastEventId } = await runStatus(hub, at, { signal: context.stop, patienceMs })
    const place = stateFolderPath(flags.state, context)
    const runs = new KnownRuns(place)
    if (status !== 'closed') {
      wakeHost(runs, at, context)
      await closeRun(hub, at, { signal: context.stop, patienceMs })
      await whileWaiting('its runner is given time to end', context, async () => {
        for await (const _ of follow(hub, at, { after: lastEventId, signal: context.stop }));
        await untilHostEnds(runs, at, context.stop)
      })
    }
    const { tidyRun } = await import('./worktree/tidy-run.ts')
    const tidied = await tidyRun(known, place, context)
    const worktree = tidied ? { folder: tidied.folder, ...tidied.done } : undefined
    if (flags.json) context.out(`${JSON.stringify({ event: 'closed', run: at.run, worktree })}\n`)
    else context.note(`${runInWords(at.run)} is closed.\n${tidied?.says ?? ''}`)
  })
