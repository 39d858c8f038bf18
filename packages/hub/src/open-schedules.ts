import { within } from '@farhand/kit/within'
import { Fault } from '@farhand/protocol/wire/faults'
import { isActiveUser } from './access/users.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import { AddressRefused } from './notify/outbound-post.ts'
import { signedPost } from './notify/signed-post.ts'
import { usualPausesMs } from './notify/web-hooks.ts'
import type { WebPush } from './notify/web-push.ts'
import { Alarms } from './schedules/alarms.ts'
import { Scheduler } from './schedules/scheduler.ts'
import { beginScheduledRun, makeScheduledRun, newRunOf } from './schedules/start-run.ts'
import type { StoredSchedule } from './store/schedules/schedules.ts'

type Parts = Pick<
  HubParts,
  | 'config'
  | 'db'
  | 'log'
  | 'logger'
  | 'vault'
  | 'directory'
  | 'refusal'
  | 'wrongClone'
  | 'look'
  | 'runChanges'
  | 'webHooks'
> & { webPush: Pick<WebPush, 'tell'> }

/** Starts what starts the runs of schedules, and gives what has to hear of a changed one. */
export function openSchedules(parts: Parts, undo: (() => unknown)[]) {
  const { config, db, log, logger, webPush } = parts
  const { allowPrivateCalls: allowPrivate } = config
  const alarms = new Alarms({
    db,
    tell: (user, telling) => webPush.tell(user, telling),
    post: (callback, call, signal) =>
      signedPost(callback, call, { allowPrivate, signal }).catch((error: unknown) => {
        if (!(error instanceof AddressRefused)) throw error
        logger.warn({ err: error }, 'the callback of a schedule is not called')
        return null
      }),
    onError: (err) => logger.error({ err }, 'notifying of a schedule failed; it is tried again'),
    pausesMs: usualPausesMs,
  })
  undo.push(() => alarms.stop())
  const scheduler = new Scheduler({
    db,
    log,
    now: Date.now,
    refusal: (schedule) => refusalOf(parts, schedule),
    makeRun: async (schedule, of, claim) => {
      const run = await makeScheduledRun(db, schedule, of, claim, new Date())
      // The log of a new run is still empty, so the lists are notified directly.
      if (run !== null) parts.runChanges.touched(run)
      return run
    },
    beginRun: async (schedule, run) => {
      await beginScheduledRun(log, schedule, run)
      parts.look(run)
      parts.webHooks.registered(run)
    },
    onAlarm: () => alarms.look(),
    onError: (err) => logger.error({ err }, 'handling schedules failed; it is tried again in a moment'),
  })
  undo.push(() => scheduler.stop())
  return scheduler
}

/** How long a check waits for a remote; after that it is unknown, which is no reason to refuse. */
const remoteMs = 3000

/**
 * Why this schedule may not start a run now. It was checked when the schedule was made; meanwhile the operator may have changed the
 * rules, the user may have lost the project, or a secret may be gone.
 */
async function refusalOf(parts: Parts, schedule: StoredSchedule): Promise<string | null> {
  const { db, vault, directory, refusal, wrongClone } = parts
  const { owner, project } = schedule
  if (!(await isActiveUser(db, owner))) return 'Its user may not use this hub any more.'
  const { sandbox = null, terms = {} } = newRunOf(schedule)
  try {
    const author = { kind: 'web' as const, id: owner }
    const user = { kind: 'user' as const, user: owner, name: '', role: 'member' as const, author }
    const who = { ...user, session: null, device: null, tokenId: '' }
    await directory.project({ who, params: { project }, needs: 'work' })
    await vault.secretsFor(project, terms.secrets ?? [])
  } catch (error) {
    if (error instanceof Fault && error.remedy !== 'retry') return error.message
    throw error
  }
  const asked = { owner, sandbox, terms }
  const refused = await refusal(asked)
  if (refused) return refused.why
  const wrong = await within(remoteMs, wrongClone({ ...asked, project }))
  return wrong === 'late' ? null : (wrong?.why ?? null)
}
