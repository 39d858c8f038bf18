import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { HubConfig } from './config/hub-config.ts'
import type { EventLog } from './log/event-log.ts'
import { Hooks } from './notify/web-hooks.ts'
import { Onlookers } from './notify/run-viewers.ts'
import { openPushKeys } from './notify/push-keys.ts'
import { Teller } from './notify/notifier.ts'
import { WebPush } from './notify/web-push.ts'
import type { Tables } from './store/tables.ts'

type TellingParts = { config: HubConfig; db: Kysely<Tables>; log: EventLog; logger: Logger }

/** Begins to tell users what is worth it of their runs. */
export async function startTelling({ config, db, log, logger }: TellingParts) {
  const keys = await openPushKeys(config.data, (aside) =>
    logger.error(
      { aside },
      'push-keys.json was damaged: it is set aside, and browsers have to subscribe to notifications again',
    ),
  )
  const { publicUrl, allowPrivateCalls: allowPrivate } = config
  const webPush = new WebPush({ db, keys, logger, publicUrl, allowPrivate })
  const onlookers = new Onlookers()
  const teller = new Teller({
    db,
    log,
    onlookers,
    tell: (user, telling) => webPush.tell(user, telling),
    onError: (err) => logger.error({ err }, 'somebody could not be told of a run'),
  })
  const hooks = new Hooks({ db, log, logger, allowPrivate })
  await Promise.all([teller.start(), hooks.start()])
  return { onlookers, webPush, teller, hooks }
}
