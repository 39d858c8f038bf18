import type { z } from 'zod'
import type { FaultCode } from '../wire/faults.ts'

/**
 * Who is let in: anyone, whoever holds a signed address, a user, the run's own runner, or either of these two; and from the
 * hub's own machine anyone, from elsewhere a user.
 */
export type Who = 'anyone' | 'address' | 'user' | 'runner' | 'user-or-runner' | 'near-or-user'

/** Bodies by content type. Null stands for bytes that no schema describes. */
export type Bodies = Record<string, z.ZodType | null>

export type Answer = { says: string; bodies?: Bodies; headers?: z.ZodObject }

/** One thing a hub can be asked, with everything there is to know about asking it. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in `routes.ts`, with `{names}` where it has parameters. */
  path: string
  summary: string
  who: Who
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: Bodies
  answers: Record<number, Answer>
  /** Those that belong to this call; what any call may meet is not repeated. */
  faults?: readonly FaultCode[]
}

export const json = (schema: z.ZodType): Bodies => ({ 'application/json': schema })

const placeholder = { project: '{project}', task: '{task}', run: '{run}' }

/** Where every placeholder stands for itself: `template((at) => paths.run(at))`. */
export function template<At>(path: (at: At) => string): string {
  return path(placeholder as At)
}
