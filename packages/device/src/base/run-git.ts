import { spawn } from 'node:child_process'

export type GitEnv = Readonly<Record<string, string | undefined>>

export type GitOptions = {
  cwd: string
  env: GitEnv
  input?: string | Buffer
  signal?: AbortSignal
}

/** Git ended with a code other than 0, or could not be started at all (then it is null). */
export class GitFailed extends Error {
  readonly code: number | null
  readonly stderr: string

  constructor(args: readonly string[], code: number | null, stderr: string) {
    super(`git ${args.find((arg) => !arg.startsWith('-')) ?? ''}: ${stderr.trim() || `exit code ${code}`}`)
    this.name = 'GitFailed'
    this.code = code
    this.stderr = stderr
  }
}

/** What git prints. Its complaints are in English, it asks nobody anything, and it writes no lock that it can do without. */
export function runGit(args: readonly string[], { cwd, env, input, signal }: GitOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd,
      env: { ...env, ...quiet },
      stdio: 'pipe',
      ...(signal && { signal }),
    })
    const out: Buffer[] = []
    let stderr = ''
    child.stdout.on('data', (chunk) => out.push(chunk))
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-10_000)
    })
    child.on('error', (error) => {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      reject(isMissing ? new GitFailed(args, null, 'there is no program of that name') : error)
    })
    child.on('close', (code) =>
      code === 0 ? resolve(Buffer.concat(out)) : reject(new GitFailed(args, code, stderr)),
    )
    // It may end before it has read everything; what it says then tells more than the broken pipe.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

const quiet = {
  LC_ALL: 'C',
  LANGUAGE: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
}

/** An environment in which git finds its own settings and its user's, and nothing that was meant for another repository. */
export const gitEnv = (env: GitEnv): GitEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))

/** The same without anybody's settings: for a repository of our own. */
export const bareGitEnv = (env: GitEnv): GitEnv => ({
  ...gitEnv(env),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'farhand',
  GIT_AUTHOR_EMAIL: 'farhand@localhost',
  GIT_COMMITTER_NAME: 'farhand',
  GIT_COMMITTER_EMAIL: 'farhand@localhost',
})
