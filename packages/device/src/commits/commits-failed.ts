/** The agent's commits cannot be fetched or used: why, and what the user can do. */
export class CommitsFailed extends Error {
  readonly nextStep: string
  /** Whether a later try may work without the user doing anything. */
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

/** Turns a git error that the user can fix into a CommitsFailed; returns other errors unchanged. */
export function whyGitFailed(error: unknown, folder: string): unknown {
  const said = error instanceof Error ? error.message : String(error)
  if (/No space left on device|Disk quota exceeded/i.test(said))
    return new CommitsFailed(`The disk of ${folder} is full.`, 'Free some space there, then try again.', {
      cause: error,
    })
  if (/\.lock': File exists|a git process may have crashed/i.test(said))
    return new CommitsFailed(
      `Another git process is working in ${folder}.`,
      'Try again when it is done. If there is none, git has left a stale file whose name ends with .lock.',
      { cause: error, isPassing: true },
    )
  return error
}

/** Git's message without the name of the git command. */
export const gitSaid = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/^git \S+: /, '')
