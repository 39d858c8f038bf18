import { readLog } from '@farhand/client/follow/read-log'
import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import type { GitEnv } from '../git/run-git.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import type { HandoffRun } from './handoff-run.ts'

type Stand = { sha: string; branch?: string | null | undefined; index?: string | null | undefined }

/**
 * Whether the repository is as the run already has it: then the sandbox goes on with its own repository and the agent's
 * commits. Staged changes always count as news, because their commits differ each time.
 */
export const isUnchangedSinceSent = (sent: Stand | null, now: Stand) =>
  sent !== null &&
  sent.sha === now.sha &&
  (sent.branch ?? null) === (now.branch ?? null) &&
  (sent.index ?? null) === null &&
  (now.index ?? null) === null

type Sending = { env: GitEnv; stop: AbortSignal; onWarning: (warning: string) => void }

/** Sends the repository of a folder to the hub, unless the run already has it in this state. */
export async function sendRepository(
  handoff: Pick<HandoffRun, 'hub' | 'at' | 'workspace' | 'state'>,
  { env, stop: signal, onWarning }: Sending,
): Promise<void> {
  const { hub, at, workspace, state } = handoff
  const [{ withBase }, { postBase }, { LastBase }] = await Promise.all([
    import('../base/send-base.ts'),
    import('../base/post-base.ts'),
    import('../base/last-base.ts'),
  ])
  const place = state.placeOf(workspace)
  await withBase(workspace, { place, env, signal, onWarning }, async (base) => {
    if (isUnchangedSinceSent(await lastBase(handoff, signal), base)) return
    // A new device id each time: the folder's own device writes with a sequence number (W34).
    const device = { ...hub, deviceId: newId(DeviceId, 'dev') }
    // The resting runner has already put all files into the log.
    const filesAreThere = Promise.resolve()
    const last = new LastBase(place)
    await postBase(device, at, base, { signal, patienceMs, filesAreThere, last, onStored: () => {} })
  })
}

async function lastBase(
  { hub, at }: Pick<HandoffRun, 'hub' | 'at'>,
  signal: AbortSignal,
): Promise<Stand | null> {
  let last: Stand | null = null
  for await (const { notification } of readLog(hub, at, { signal, patienceMs })) {
    if (!isEvent(notification, 'git_commit')) continue
    const said = GitCommit.safeParse(notification.params).data
    if (said?.kind === 'base' && said.bundle) last = said
  }
  return last
}
