import type { IncomingMessage } from 'node:http'
import { Fault } from '@farhand/protocol/faults'
import type { RunId } from '@farhand/protocol/ids'
import { header } from './exchange.ts'

/** A `Session-Id` that is sent must be the run in the path (W13). */
export function checkSessionId(req: IncomingMessage, run: RunId): void {
  const sent = header(req, 'session-id')
  if (sent !== undefined && sent !== run) {
    throw new Fault(
      'session.mismatch',
      `session-id: this path is of run ${run}; leave the header out or send that`,
      {
        field: 'session-id',
      },
    )
  }
}
