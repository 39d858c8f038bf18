import { z } from 'zod'

export const Remedy = z.enum(['retry', 'fix-request', 'sign-in', 'upgrade', 'give-up'])
export type Remedy = z.infer<typeof Remedy>

const fault = (status: number, remedy: Remedy) => ({ status, remedy })

/** Every error code on the wire, with the HTTP status it travels under and what its receiver should do (W3). */
export const faults = {
  'request.malformed': fault(400, 'fix-request'),
  'request.timeout': fault(408, 'retry'),
  'request.too-large': fault(413, 'fix-request'),
  'request.headers-too-large': fault(431, 'fix-request'),
  'request.unsupported-type': fault(415, 'fix-request'),
  'request.not-acceptable': fault(406, 'fix-request'),
  'route.unknown': fault(404, 'fix-request'),
  'route.method-not-allowed': fault(405, 'fix-request'),
  'host.refused': fault(403, 'fix-request'),
  'origin.refused': fault(403, 'fix-request'),
  'token.missing': fault(401, 'sign-in'),
  'token.invalid': fault(401, 'sign-in'),
  'token.revoked': fault(401, 'sign-in'),
  'token.expired': fault(401, 'sign-in'),
  'token.too-often': fault(429, 'retry'),
  'code.invalid': fault(401, 'sign-in'),
  'code.too-often': fault(429, 'retry'),
  'code.unknown': fault(404, 'give-up'),
  'password.wrong': fault(401, 'sign-in'),
  'password.refused': fault(403, 'fix-request'),
  'password.too-often': fault(429, 'retry'),
  'https.required': fault(403, 'fix-request'),
  'device.unknown': fault(404, 'give-up'),
  'token.unknown': fault(404, 'give-up'),
  'session.unknown': fault(404, 'give-up'),
  'member.unknown': fault(404, 'give-up'),
  'invitation.unknown': fault(404, 'give-up'),
  'link.unknown': fault(404, 'give-up'),
  'link.too-many': fault(429, 'fix-request'),
  'role.refused': fault(403, 'give-up'),
  'runner.fenced': fault(403, 'give-up'),
  'producer.fenced': fault(403, 'give-up'),
  'device.fenced': fault(403, 'give-up'),
  'device.refused': fault(403, 'give-up'),
  'producer.gap': fault(409, 'fix-request'),
  'key.reused': fault(409, 'fix-request'),
  'project.unknown': fault(404, 'give-up'),
  'task.unknown': fault(404, 'give-up'),
  'task.refused': fault(409, 'fix-request'),
  'run.unknown': fault(404, 'give-up'),
  'run.closed': fault(404, 'fix-request'),
  'run.overfull': fault(429, 'retry'),
  'message.begun': fault(409, 'give-up'),
  'run.busy': fault(409, 'fix-request'),
  'run.taken': fault(409, 'fix-request'),
  'sandbox.refused': fault(409, 'give-up'),
  'terms.refused': fault(403, 'fix-request'),
  'run.questions-open': fault(409, 'fix-request'),
  'close.refused': fault(405, 'give-up'),
  'session.mismatch': fault(400, 'fix-request'),
  'method.unknown': fault(400, 'fix-request'),
  'cursor.ahead': fault(409, 'fix-request'),
  'blob.missing': fault(409, 'fix-request'),
  'blob.unknown': fault(404, 'give-up'),
  'blob.mismatch': fault(400, 'fix-request'),
  'blob.url-refused': fault(403, 'retry'),
  'secret.unknown': fault(404, 'fix-request'),
  'secret.locked': fault(503, 'give-up'),
  'schedule.unknown': fault(404, 'give-up'),
  'schedule.too-many': fault(409, 'fix-request'),
  'setup.unknown': fault(404, 'give-up'),
  'setup.refused': fault(403, 'give-up'),
  'acp.request-unknown': fault(404, 'give-up'),
  'acp.request-settled': fault(409, 'give-up'),
  'acp.request-refused': fault(409, 'give-up'),
  'acp.too-fast': fault(429, 'retry'),
  'log.unavailable': fault(503, 'retry'),
  'storage.full': fault(503, 'retry'),
  'hub.stopping': fault(503, 'retry'),
  'hub.busy': fault(503, 'retry'),
  'hub.failed': fault(500, 'retry'),
} as const satisfies Record<string, { status: number; remedy: Remedy }>

export type FaultCode = keyof typeof faults

/** Facts beside the code that a program can act on: which field, which seq was expected, which epoch is current. */
export type FaultDetails = {
  field?: string
  expected?: number
  current?: number
  hashes?: string[]
  allowed?: string[]
}

/** An error with a code from the table: the only kind that is sent to another process. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly details: FaultDetails

  constructor(code: FaultCode, message: string, details: FaultDetails & { cause?: unknown } = {}) {
    const { cause, ...rest } = details
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Fault'
    this.code = code
    this.details = rest
  }

  get status(): number {
    return faults[this.code].status
  }

  get remedy(): Remedy {
    return faults[this.code].remedy
  }
}

/** The fault of a request that has something wrong in this field. */
export const malformed = (field: string, why: string, cause?: unknown): Fault =>
  new Fault('request.malformed', `${field}: ${why}`, { field, cause })

/** The body of every answer that is not a success (W3). Codes stay open: a newer hub may know more of them. */
export const FaultAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    remedy: Remedy,
    field: z.string().optional(),
    expected: z.number().optional(),
    current: z.number().optional(),
    hashes: z.array(z.string()).optional(),
    allowed: z.array(z.string()).optional(),
  }),
})
export type FaultAnswer = z.infer<typeof FaultAnswer>

export function faultAnswer(fault: Fault): FaultAnswer {
  return { error: { code: fault.code, message: fault.message, remedy: fault.remedy, ...fault.details } }
}
