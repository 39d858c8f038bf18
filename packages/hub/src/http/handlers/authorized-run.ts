import { Fault } from '@farhand/protocol/wire/faults'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { checkSessionId } from '../exchange/check-session-id.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/** The run of the path, if the caller may use it now. The token of an older generation is refused (W8). */
export async function authorizedRun(parts: HubParts, exchange: Exchange): Promise<OwnedRun> {
  const { who } = exchange
  const run = parts.directory.known(exchange) ?? (await parts.directory.run(exchange))
  checkSessionId(exchange, run.id)
  if (who!.kind === 'runner') {
    const { view } = await parts.log.head(run.id)
    if (who!.generation !== view.generation) {
      throw new Fault('runner.fenced', 'a newer runner has taken over this run; stop', {
        current: view.generation,
      })
    }
    parts.readers.heard(run.id, view.generation)
  }
  return run
}
