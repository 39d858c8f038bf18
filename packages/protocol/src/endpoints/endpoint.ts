import type { z } from 'zod'
import type { FaultCode } from '../wire/faults.ts'
import type { Right } from '../wire/project-role.ts'
import { SessionIdHeader } from './headers.ts'

/**
 * Who may call: anyone, a caller with a signed address, a user, the run's own runner, or either of these two. `near-or-user`:
 * any caller from the hub's own machine, a user from elsewhere. `guest`: a caller with the link of a shared run (W114).
 */
export type Who = 'anyone' | 'address' | 'user' | 'runner' | 'user-or-runner' | 'near-or-user' | 'guest'

/** Bodies by content type. Null stands for bytes that no schema describes. */
export type Bodies = Record<string, z.ZodType | null>

export type Answer = { says: string; bodies?: Bodies; headers?: z.ZodObject }

/** One request that a hub answers: its route, its callers, its bodies and its faults. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As in `routes.ts`, with `{names}` where it has parameters. */
  path: string
  summary: string
  who: Who
  /** What a user must be allowed in the project of the request (W110), where `rightOf` does not follow from the method. */
  needs?: Right
  /** Whether a caller with the link of this run may call it, too (W114). */
  guests?: true
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: Bodies
  answers: Record<number, Answer>
  /** The faults of this request, besides those that every request can have. */
  faults?: readonly FaultCode[]
}

/** The right that a user needs for a request about a project or its runs (W110): to read is to view, all else is to work. */
export const rightOf = ({ method, needs }: Pick<Endpoint, 'method' | 'needs'>): Right =>
  needs ?? (method === 'GET' ? 'view' : 'work')

/** A request about one run, which may name that run in a header, too. */
export const ofRun = (one: Endpoint): Endpoint => ({
  ...one,
  headers: SessionIdHeader.extend(one.headers?.shape ?? {}),
  faults: ['session.mismatch', 'run.unknown', ...(one.faults ?? [])],
})

export const json = (schema: z.ZodType): Bodies => ({ 'application/json': schema })

const placeholder = { project: '{project}', task: '{task}', run: '{run}' }

/** The path with its placeholders: `template((at) => paths.run(at))`. */
export function template<At>(path: (at: At) => string): string {
  return path(placeholder as At)
}
