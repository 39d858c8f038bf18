import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { whyFailed } from '@farhand/device/requests/why-failed'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { SyncStatus } from '@farhand/protocol/runs/sync-status'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { StoryFold } from '@farhand/story/fold/story-fold'
import { markInWords } from '@farhand/story/wording/mark-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { z } from 'zod'
import type { CommandContext } from '../../context/command-context.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'
import { broughtTo } from '../bring/brought-in-words.ts'

/** The state of a run in a sandbox: where its agent works, whether its folder here is synced, and what went wrong. */
export async function sandboxInWords(
  { agent, workspace, at, hub }: Pick<KnownRun, 'agent' | 'workspace' | 'at'> & { hub: Hub },
  { status, agentStatus, lastEventId }: SyncStatus,
  state: StateFolder,
  { called, stop }: CommandContext,
): Promise<string[]> {
  const lines = [`${agent} in a sandbox of ${hub.url}`]
  if ((await firstHost({ hub, at }, stop)) === 'process')
    lines.push("It has no isolation: it runs with the permissions of the hub's system user.")
  const brought = await broughtTo(hub, at, lastEventId, stop)
  if (brought !== null) lines.push(brought)
  if (status === 'asleep') lines.push('It is asleep and uses no resources; a message wakes it.')
  if (status === 'queued') lines.push('It waits until the hub has a free place for its sandbox.')
  if (status === 'provisioning') lines.push('A sandbox is being made for it.')
  if (status === 'active' && agentStatus === 'idle') {
    const doing = await doingNow({ hub, at }, lastEventId, stop)
    if (doing !== null) lines.push(`The agent has not begun yet. ${doing}.`)
  }
  if (status === 'failed') {
    const why = await whyFailed({ hub, at }, stop)
    lines.push(`It has failed${why ? `: ${firstLine(why, 500)}` : '.'}`)
    lines.push(`To try again, send a message: ${called.farhand} send ${runInWords(at.run)} "..."`)
  }
  if (workspace !== '') lines.push(folderLine({ at, workspace }, status, state, called.farhand))
  return lines
}

function folderLine(
  { at, workspace }: Pick<KnownRun, 'at' | 'workspace'>,
  status: SyncStatus['status'],
  state: StateFolder,
  farhand: string,
): string {
  const pid = folderHolder(state, workspace)
  if (pid !== null && state.find(workspace)?.at.run === at.run)
    return `${workspace} is kept in step with it (process ${pid})`
  if (status === 'closed') return `Its files are in ${workspace}`
  return `${workspace} is not kept in step with it now: \`${farhand} run --run ${runInWords(at.run)}\` does that again`
}

/** More events than the start of a sandbox has. */
const recent = 500

async function doingNow(
  { hub, at }: Pick<KnownRun, 'at'> & { hub: Hub },
  lastEventId: number,
  signal: AbortSignal,
) {
  const after = Math.max(0, lastEventId - recent)
  const events: SeenEvent[] = []
  for await (const event of readLog(hub, at, { signal, patienceMs, after })) events.push(event)
  return underWay(events)
}

/** What the sandbox is doing before its agent can work, by its last events; null if nothing. */
export function underWay(events: readonly SeenEvent[]): string | null {
  // A runner that is gone has not ended what it began.
  const began = events.findLastIndex(({ notification }) => isEvent(notification, 'session_start'))
  const fold = new StoryFold()
  for (const event of events.slice(began + 1)) fold.take(event)
  const phase = fold.story.items.findLast((item) => item.kind === 'mark' && item.mark.is === 'phase')
  const words = phase?.kind === 'mark' ? markInWords(phase.mark) : null
  return words?.isUnderWay ? words.words : null
}

const OnHost = z.looseObject({ host: z.string() })

/** The kind of the run's first sandbox; null if it had none. The event is near the beginning of the log. */
async function firstHost({ hub, at }: Pick<KnownRun, 'at'> & { hub: Hub }, signal: AbortSignal) {
  for await (const { notification } of readLog(hub, at, { signal, patienceMs })) {
    if (!isEvent(notification, 'phase_start')) continue
    const { data } = OnHost.safeParse(notification.params)
    if (data) return data.host
  }
  return null
}
