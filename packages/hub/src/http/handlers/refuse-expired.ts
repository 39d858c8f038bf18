import type { RunView } from '@farhand/protocol/runs/run-view'
import { expired } from '../../runs/expired.ts'
import type { OwnedRun } from '../../runs/run-directory.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

export const whyExpired = ({ config }: HubParts, { createdAt }: OwnedRun, view: RunView) =>
  expired(view, { createdAt, expiryMinutes: config.sessionExpiryMinutes, now: Date.now() })

/** Throws for a client of a run that has expired (W64). Its runner may always go on with it. */
export async function refuseExpired(parts: HubParts, { who }: Exchange, run: OwnedRun): Promise<void> {
  if (parts.config.sessionExpiryMinutes === undefined || who!.kind === 'runner') return
  const { view } = await parts.log.head(run.id)
  const why = whyExpired(parts, run, view)
  if (why) throw why
}
