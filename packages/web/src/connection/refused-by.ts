import { Refusal } from '@farhand/client/requests/refusal'
import type { Connection } from './connection.ts'

/** The connection after an error that retrying does not fix. */
export function connectionOfError(error: unknown): Connection {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Refusal)) return { is: 'refused', why: 'other', message }
  if (error.remedy === 'sign-in') return { is: 'refused', why: 'signed-out', message }
  return { is: 'refused', why: error.status === 404 ? 'unknown' : 'other', message }
}
