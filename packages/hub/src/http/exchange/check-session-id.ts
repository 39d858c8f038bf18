import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { header } from './exchange.ts'

/** A `Session-Id` that is sent must be the run in the path (W13); every answer has it, for clients that do not know it yet. */
export function checkSessionId(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  run: RunId,
): void {
  res.setHeader('Session-Id', run)
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
