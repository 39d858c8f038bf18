import type { Exit } from './exit-codes.ts'

/** A failure told to a person: what went wrong, and the next step to take. */
export class Trouble extends Error {
  readonly exit: Exit
  readonly nextStep: string
  /** Whether those who read JSON have been told already. */
  isTold = false

  constructor(exit: Exit, message: string, nextStep: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Trouble'
    this.exit = exit
    this.nextStep = nextStep
  }
}
