import type { CallbackEvent, RegisterCallback } from '@farhand/protocol/schemas/api'
import { malformed } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Db } from './tables.ts'

export type Callback = {
  url: string
  events: CallbackEvent[]
  secret: string | null
  /** The last event that needs no further call; null: calls begin with the next new event. */
  sentTo: number | null
}

const callbacksPerRun = 20

/** Registers web hooks of a run (W14). Registering a URL again replaces its earlier registration. */
export async function addCallbacks(
  db: Db,
  run: RunId,
  callbacks: RegisterCallback['callbacks'],
  now: Date,
  sentTo: number | null = null,
): Promise<void> {
  await db.transaction().execute((trx) => addCallbacksIn(trx, run, callbacks, now, sentTo))
}

/** As `addCallbacks`, inside a transaction. */
export async function addCallbacksIn(
  trx: Db,
  run: RunId,
  callbacks: RegisterCallback['callbacks'],
  now: Date,
  sentTo: number | null,
): Promise<void> {
  for (const { url, events, secret } of callbacks) {
    const said = { events: JSON.stringify(events), secret: secret ?? null }
    await trx
      .insertInto('callbacks')
      .values({ run_id: run, url, ...said, created_at: now.toISOString(), sent_to: sentTo })
      .onConflict((conflict) => conflict.columns(['run_id', 'url']).doUpdateSet(said))
      .execute()
  }
  const { count } = await trx
    .selectFrom('callbacks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('run_id', '=', run)
    .executeTakeFirstOrThrow()
  if (Number(count) > callbacksPerRun)
    throw malformed('callbacks', `a run may have ${callbacksPerRun} of them in all`)
}

/** The web hooks of a run, with the last event sent to each. */
export async function callbacksOf(db: Db, run: RunId): Promise<Callback[]> {
  const rows = await db
    .selectFrom('callbacks')
    .select(['url', 'events', 'secret', 'sent_to'])
    .where('run_id', '=', run)
    .orderBy('created_at')
    .orderBy('url')
    .execute()
  return rows.map(({ url, events, secret, sent_to: sentTo }) => ({
    url,
    events: JSON.parse(events) as CallbackEvent[],
    secret,
    sentTo,
  }))
}

/** The runs that have web hooks. */
export async function runsWithCallbacks(db: Db): Promise<RunId[]> {
  const rows = await db.selectFrom('callbacks').select('run_id').distinct().execute()
  return rows.map((row) => row.run_id)
}

export async function noteSent(db: Db, run: RunId, url: string, sentTo: number): Promise<void> {
  const of = db.updateTable('callbacks').set({ sent_to: sentTo })
  await of.where('run_id', '=', run).where('url', '=', url).execute()
}

export async function removeCallback(db: Db, run: RunId, url: string): Promise<void> {
  await db.deleteFrom('callbacks').where('run_id', '=', run).where('url', '=', url).execute()
}
