import type { Logger } from 'pino'
import { namesIn } from './access/project-members.ts'
import type { HubConfig } from './config/hub-config.ts'
import type { EventLog } from './log/event-log.ts'
import { Notifier } from './notify/notifier.ts'
import { Presence } from './notify/presence.ts'
import { openPushKeys } from './notify/push-keys.ts'
import { RunViewers } from './notify/run-viewers.ts'
import { WebHooks } from './notify/web-hooks.ts'
import { WebPush } from './notify/web-push.ts'
import type { Db } from './store/tables.ts'

type NotificationParts = { config: HubConfig; db: Db; log: EventLog; logger: Logger }

/** Starts push notifications and web hooks for the runs of this hub. */
export async function startNotifications(
  { config, db, log, logger }: NotificationParts,
  undo: (() => unknown)[],
) {
  const keys = await openPushKeys(config.data, (aside) =>
    logger.error(
      { aside },
      'push-keys.json was damaged: it is set aside, and browsers have to subscribe to notifications again',
    ),
  )
  const { publicUrl, allowPrivateCalls: allowPrivate } = config
  const webPush = new WebPush({ db, keys, logger, publicUrl, allowPrivate })
  undo.push(() => webPush.stop())
  const viewers = new RunViewers()
  const notifier = new Notifier({
    db,
    log,
    viewers,
    tell: (user, telling) => webPush.tell(user, telling),
    onError: (err) => logger.error({ err }, 'notification delivery failed'),
  })
  undo.push(() => notifier.stop())
  const presence = new Presence({
    viewers,
    namesIn: (run, users) => namesIn(db, run, users),
    onError: (err) => logger.warn({ err }, 'could not tell who looks at a run'),
  })
  undo.push(() => presence.stop())
  const webHooks = new WebHooks({ db, log, logger, allowPrivate })
  undo.push(() => webHooks.stop())
  await Promise.all([notifier.start(), webHooks.start()])
  return { viewers, presence, webPush, webHooks }
}
