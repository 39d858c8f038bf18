import type { Readable } from 'node:stream'
import { GitFailed, type GitProcess, noHooks, runGit, streamGit } from './git-process.ts'

export type GitRun = Pick<GitProcess, 'input' | 'signal'> & {
  env?: Readonly<Record<string, string>>
  cwd?: string
}

// No settings of the machine's user, and no programs at all.
const settings = [
  noHooks,
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.autocrlf=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.quotePath=false',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'core.fsync=none',
  'advice.detachedHead=false',
  'protocol.allow=never',
  'safe.directory=*',
]

/** The system's git, isolated: only its arguments and the repository's objects decide what it does. */
export class Git {
  /** Whether it runs at low CPU priority. */
  isNice = false
  readonly #env: Readonly<Record<string, string>>

  /** `path` is the PATH to search for git. */
  constructor(path: string) {
    this.#env = {
      PATH: path,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    }
  }

  /** Returns its output. Throws GitFailed if it fails. */
  run(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    return runGit(args, this.#isolated(options))
  }

  async text(args: readonly string[], options: GitRun = {}): Promise<string> {
    return (await this.run(args, options)).toString().trim()
  }

  /** As `run`, for output that is too long to keep in memory. */
  stream(args: readonly string[], options: GitRun, read: (from: Readable) => Promise<void>): Promise<void> {
    return streamGit(args, this.#isolated(options), read)
  }

  #isolated({ cwd = '/', env, ...rest }: GitRun): GitProcess {
    const { isNice } = this
    const killSignal = 'SIGKILL'
    return { ...rest, cwd, env: { ...this.#env, ...env }, settings, killSignal, isNice, mostStderr: 500 }
  }
}

/** Runs git as the agent would, with its environment and settings, but without programs that a repository names. */
export async function runGitAsAgent(
  args: readonly string[],
  given: Pick<GitProcess, 'cwd' | 'env' | 'signal'>,
): Promise<void> {
  await runGit(args, { ...given, settings: [noHooks], mostStderr: 2_000 }).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error
    throw new Error(`git ${args[0]} failed: ${error.stderr.trim() || `it ended with ${error.code}`}`)
  })
}

/** Whether git could not even be started. */
export const isNoProgram = (error: unknown): boolean =>
  (error instanceof GitFailed && error.code === null) ||
  (['EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') &&
    (error as NodeJS.ErrnoException).syscall?.startsWith('spawn') === true)
