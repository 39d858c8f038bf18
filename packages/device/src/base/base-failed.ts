/** The base of a run could not be made: why, and what the user can do. */
export class BaseFailed extends Error {
  readonly nextStep: string

  constructor(message: string, nextStep: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'BaseFailed'
    this.nextStep = nextStep
  }
}
