import {
  Fault,
  FaultAnswer,
  type FaultCode,
  type FaultDetails,
  faults,
  type Remedy,
} from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { readText } from './read-answer.ts'

const longestRetryAfterMs = 5 * 60_000

type Said = { status: number; code: string; message: string; remedy: Remedy; retryAfterMs: number }

// A code of a newer hub still has to fit programs that know the table of today: they act on the remedy.
const standIns: Record<Remedy, FaultCode> = {
  retry: 'hub.failed',
  'fix-request': 'request.malformed',
  'sign-in': 'token.invalid',
  upgrade: 'method.unknown',
  'give-up': 'role.refused',
}

/**
 * The hub's "no". `saidCode`, `status` and `remedy` are what the hub said; `code` is the same as `saidCode` where
 * this client knows it, and else a known code that asks for the same remedy.
 */
export class Refusal extends Fault {
  readonly saidCode: string
  readonly retryAfterMs: number
  readonly #said: Said

  constructor(said: Said, details: FaultDetails = {}) {
    super(
      Object.hasOwn(faults, said.code) ? (said.code as FaultCode) : standIns[said.remedy],
      said.message,
      details,
    )
    this.saidCode = said.code
    this.retryAfterMs = said.retryAfterMs
    this.#said = said
  }

  override get status(): number {
    return this.#said.status
  }

  override get remedy(): Remedy {
    return this.#said.remedy
  }
}

/** Nobody answered, or not to the end, or it was not a hub that answered: what was sent may or may not have arrived. */
export class Unreachable extends Error {
  /** What whoever stands between here and the hub answered, if anyone did. */
  readonly status: number | undefined
  readonly retryAfterMs: number

  constructor(message: string, cause?: unknown, answer?: { status: number; retryAfterMs: number }) {
    super(message, { cause })
    this.name = 'Unreachable'
    this.status = answer?.status
    this.retryAfterMs = answer?.retryAfterMs ?? 0
  }
}

/** The status under which trouble travelled, whoever sent it. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Refusal || error instanceof Unreachable ? error.status : undefined
}

/** Whether the same request may succeed later without anyone changing it. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof Refusal && (error.status >= 500 || error.status === 408 || error.status === 429)
}

/** What an answer without success means. Only the hub's own words are a "no": proxies and sign-in pages answer too. */
export async function readRefusal(response: Response): Promise<Refusal | Unreachable> {
  const { status, headers } = response
  const text = await readText(response, limits.eventBytes)
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  const answer = FaultAnswer.safeParse(tryJson(text))
  if (status >= 400 && answer.success) {
    const { code, message, remedy, ...details } = answer.data.error
    return new Refusal({ status, code, message, remedy, retryAfterMs }, details as FaultDetails)
  }
  const location = headers.get('location')
  const what = location ? `a redirect to ${location}` : `${status} ${response.statusText}`.trim()
  return new Unreachable(
    `not a hub answered, but something that says ${what}: ${text.slice(0, 200)}`,
    undefined,
    { status, retryAfterMs },
  )
}

// Whatever a proxy asks for, a person is waiting.
function readRetryAfter(header: string | null): number {
  return Math.min(Math.max(Number(header ?? 0) * 1000 || 0, 0), longestRetryAfterMs)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is an answer too, only not of a hub.
    return undefined
  }
}
