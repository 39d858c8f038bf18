import type { RunView } from '@farhand/protocol/runs/run-view'
import { Fault } from '@farhand/protocol/wire/faults'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { OwnedRun } from '../../runs/run-directory.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

export const whyExpired = ({ config }: HubParts, { createdAt }: OwnedRun, view: RunView) =>
  expired(view, { createdAt, expiryMinutes: config.sessionExpiryMinutes, now: Date.now() })

/** Throws if a client uses an expired run (W64). Its runner may always continue. */
export async function refuseExpired(parts: HubParts, { who }: Exchange, run: OwnedRun): Promise<void> {
  if (parts.config.sessionExpiryMinutes === undefined || who!.kind === 'runner') return
  const { view } = await parts.log.head(run.id)
  const why = whyExpired(parts, run, view)
  if (why) throw why
}

/** The fault for a run without activity for longer than the operator allows (W64); null if it has not expired. */
function expired(
  view: RunView,
  { createdAt, expiryMinutes, now }: { createdAt: string; expiryMinutes: number | undefined; now: number },
): Fault | null {
  if (expiryMinutes === undefined || view.openTurns.length > 0 || view.status === 'closed') return null
  const since = Math.max(Date.parse(createdAt), Date.parse(view.lastActivityAt ?? createdAt))
  if (now - since <= expiryMinutes * 60_000) return null
  return new Fault(
    'run.closed',
    `this session has expired; send ${wireName('session_init')} to open it again`,
  )
}
