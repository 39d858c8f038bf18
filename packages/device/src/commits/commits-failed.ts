/** The agent's commits, or what is made of them, cannot be had: why, and what a person can do about it. */
export class CommitsFailed extends Error {
  readonly nextStep: string
  /** Whether it may work in a while, if nobody does anything. */
  readonly isPassing: boolean

  constructor(
    message: string,
    nextStep: string,
    { cause, isPassing = false }: { cause?: unknown; isPassing?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CommitsFailed'
    this.nextStep = nextStep
    this.isPassing = isPassing
  }
}

/** What git's complaint about the repository of a user means to them. */
export function whyGitFailed(error: unknown, folder: string): unknown {
  const said = error instanceof Error ? error.message : String(error)
  if (/No space left on device|Disk quota exceeded/i.test(said))
    return new CommitsFailed(
      `The disk of ${folder} is full.`,
      'Free some space there, then say this again.',
      {
        cause: error,
      },
    )
  if (/\.lock': File exists|a git process may have crashed/i.test(said))
    return new CommitsFailed(
      `Another git is at work in ${folder}.`,
      'Say this again when it is done. If there is none, git has left a file whose name ends with .lock.',
      { cause: error, isPassing: true },
    )
  return error
}

/** What git said, without which of its commands did. */
export const gitSaid = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/^git \S+: /, '')
