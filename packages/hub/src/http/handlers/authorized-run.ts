import { Fault } from '@farhand/protocol/wire/faults'
import type { OwnedRun } from '../../runs/run-directory.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'
import { checkSessionId } from '../exchange/check-session-id.ts'

/** The run of the path, for someone who may use it now: the token of an older generation opens nothing (W8). */
export async function reachRun(rooms: Rooms, exchange: Exchange): Promise<OwnedRun> {
  const { params, who } = exchange
  const run = rooms.directory.known(who!, params) ?? (await rooms.directory.run(who!, params))
  checkSessionId(exchange, run.id)
  if (who!.kind === 'runner') {
    const { view } = await rooms.log.head(run.id)
    if (who!.generation !== view.generation) {
      throw new Fault('runner.fenced', 'a newer runner has taken over this run; stop', {
        current: view.generation,
      })
    }
    rooms.audiences.heard(run.id, view.generation)
  }
  return run
}
