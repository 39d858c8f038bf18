import type { Exit } from './exit-codes.ts'

/** An error for the user: what went wrong, and what to do next. `exit` decides the exit code. */
export class Trouble extends Error {
  readonly exit: Exit
  readonly nextStep: string
  /** Whether a line of JSON has reported it already. */
  isTold = false

  constructor(exit: Exit, message: string, nextStep: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Trouble'
    this.exit = exit
    this.nextStep = nextStep
  }
}
