import type { RunView } from '@farhand/protocol/runs/run-view'
import { expired } from '../../runs/expired.ts'
import type { OwnedRun } from '../../runs/run-directory.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'

export const whyExpired = ({ config }: Rooms, { createdAt }: OwnedRun, view: RunView) =>
  expired(view, { createdAt, expiryMinutes: config.sessionExpiryMinutes, now: Date.now() })

/** Throws for a client of a run that has expired (W64). Its runner may always go on with it. */
export async function refuseExpired(rooms: Rooms, { who }: Exchange, run: OwnedRun): Promise<void> {
  if (rooms.config.sessionExpiryMinutes === undefined || who!.kind === 'runner') return
  const { view } = await rooms.log.head(run.id)
  const why = whyExpired(rooms, run, view)
  if (why) throw why
}
