import {
  Fault,
  FaultAnswer,
  type FaultCode,
  type FaultDetails,
  faults,
  type Remedy,
} from '@farhand/protocol/faults'

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
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'Unreachable'
  }
}

/** Whether the same request may succeed later without anyone changing it. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof Refusal && (error.status >= 500 || error.status === 408 || error.status === 429)
}

/** The answer as a refusal, whoever gave it: proxies in between answer too, and not in the hub's words. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const text = await response.text()
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
  const answer = FaultAnswer.safeParse(tryJson(text))
  if (answer.success) {
    const { code, message, remedy, ...details } = answer.data.error
    return new Refusal(
      { status: response.status, code, message, remedy, retryAfterMs },
      details as FaultDetails,
    )
  }
  return new Refusal({
    status: response.status,
    code: `http.${response.status}`,
    message: `answered ${response.status} ${response.statusText}, not in the words of a hub: ${text.slice(0, 200)}`,
    remedy: remedyOf(response.status),
    retryAfterMs,
  })
}

function remedyOf(status: number): Remedy {
  if (status >= 500 || status === 408 || status === 429) return 'retry'
  if (status === 401) return 'sign-in'
  if (status === 403 || status === 404) return 'give-up'
  return 'fix-request'
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is an answer too: the caller then goes by the status.
    return undefined
  }
}
