/** What a run was to begin from could not be made: why, and what a person can do about it. */
export class BaseFailed extends Error {
  readonly nextStep: string

  constructor(message: string, nextStep: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'BaseFailed'
    this.nextStep = nextStep
  }
}
