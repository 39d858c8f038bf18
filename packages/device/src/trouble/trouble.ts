/** How a command ends. `farhand` has a number for each, on which scripts rely. */
export type Exit =
  | 'fine'
  | 'failed'
  | 'usage'
  | 'alreadyRunning'
  | 'portTaken'
  | 'mustAsk'
  | 'folderTaken'
  | 'fenced'
  | 'runClosed'
  | 'interrupted'

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
