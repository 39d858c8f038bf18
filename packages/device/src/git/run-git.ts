import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { pathForGit } from './path-for-git.ts'

export type GitEnv = Readonly<Record<string, string | undefined>>

/** A repository by its own folder: git looks for no other. */
export type GitPlace = {
  gitDir: string
  /** Its work tree; undefined for a repository without one. */
  work?: string | undefined
  /** Settings under which git runs no program that a run may have written; see `suspectSettings`. */
  instead?: readonly (readonly [key: string, value: string])[]
}

export type GitOptions = {
  cwd: string
  env: GitEnv
  /** Which repository. Without it git looks for the one whose work tree begins with `cwd`, and no further up. */
  at?: GitPlace
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

/** How git is to be started: every call of git on a user's machine is made of this. */
export type GitCall = { program: string; args: string[]; env: GitEnv }

/**
 * Builds a call of git in which nothing that a run wrote has a say. A folder with HEAD, objects and refs in it is no
 * repository for it; hooks, file system monitors, pagers and submodules stay out of it; and of filters, keys and helpers
 * only the user's own are left. `hooks`: those of the user run all the same, which is asked about first.
 */
export function gitCall(
  args: readonly string[],
  { cwd, env, at }: Pick<GitOptions, 'cwd' | 'env' | 'at'>,
  { hooks = false }: { hooks?: boolean } = {},
): GitCall {
  const settings = [...guards, ...(hooks ? [] : ['core.hooksPath=/dev/null'])]
  const place = at
    ? { GIT_DIR: at.gitDir, ...(at.work !== undefined && { GIT_WORK_TREE: at.work }) }
    : // A list of folders in which git must not look for a repository, nor above them.
      { GIT_CEILING_DIRECTORIES: path.dirname(path.resolve(cwd)) }
  return {
    program: 'git',
    args: [...settings.flatMap((setting) => ['-c', setting]), ...args],
    env: { ...env, ...place, ...asEnvironment(at?.instead ?? []), ...pathForGit(env, [cwd, at?.work]) },
  }
}

/** Settings as the environment has them: `git -c` takes what follows the first `=` for the value, also in the middle of a name. */
function asEnvironment(settings: readonly (readonly [key: string, value: string])[]): GitEnv {
  if (settings.length === 0) return {}
  const words = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ])
  return { GIT_CONFIG_COUNT: `${settings.length}`, ...Object.fromEntries(words) }
}

// Git before 2.38 does not know the first one: there the explicit places above are what holds.
const guards = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=:',
  'log.showSignature=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
]

/** What git prints. Its complaints are in English, it asks nobody anything, and it writes no lock that it can do without. */
export function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { cwd, input, signal } = options
  const call = gitCall(args, options)
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(call.program, call.args, {
      cwd,
      env: { ...call.env, ...quiet },
      stdio: 'pipe',
      ...(signal && { signal }),
    })
    const out: Buffer[] = []
    let stderr = ''
    child.stdout!.on('data', (chunk) => out.push(chunk))
    child.stderr!.on('data', (chunk) => {
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
    child.stdin!.on('error', () => {})
    child.stdin!.end(input)
  })
}

/** The same, while everything else waits: for a repository of our own in a folder of our own. */
export function runGitSync(args: readonly string[], options: Pick<GitOptions, 'cwd' | 'env'>): string {
  const call = gitCall(args, options)
  return execFileSync(call.program, call.args, {
    cwd: options.cwd,
    env: { ...call.env, ...quiet },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
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
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || ofUser.test(name)))

// Where a user keeps their settings, which holds for all repositories.
const ofUser = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/

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
