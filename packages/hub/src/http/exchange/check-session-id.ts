import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { header } from './exchange.ts'

/** Refuses a `Session-Id` header that is not the run in the path (W13), and sets that header on every response. */
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
      { field: 'session-id' },
    )
  }
}
