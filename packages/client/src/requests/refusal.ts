import { Fault, type FaultCode, type FaultDetails, faults, type Remedy } from '@farhand/protocol/wire/faults'

type Said = { status: number; code: string; message: string; remedy: Remedy; retryAfterMs: number }

// The code of a newer hub still has to fit programs that know only the codes of today: they act on the remedy.
const standIns: Record<Remedy, FaultCode> = {
  retry: 'hub.failed',
  'fix-request': 'request.malformed',
  'sign-in': 'token.invalid',
  upgrade: 'method.unknown',
  'give-up': 'role.refused',
}

/**
 * The hub answered with an error. `saidCode`, `status` and `remedy` are what the hub sent; `code` is the same as
 * `saidCode` where this client knows it, and else a known code with the same remedy.
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

/** The hub did not answer, or not to the end, or something else answered: what was sent may or may not have arrived. */
export class Unreachable extends Error {
  /** The status that a proxy or another server answered, if one did. */
  readonly status: number | undefined
  readonly retryAfterMs: number

  constructor(message: string, cause?: unknown, answer?: { status: number; retryAfterMs: number }) {
    super(message, { cause })
    this.name = 'Unreachable'
    this.status = answer?.status
    this.retryAfterMs = answer?.retryAfterMs ?? 0
  }
}

/** The HTTP status of an error, whether a hub or another server sent it. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Refusal || error instanceof Unreachable ? error.status : undefined
}

/** Whether the same request may succeed later, unchanged. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof Refusal && (error.status >= 500 || error.status === 408 || error.status === 429)
}
