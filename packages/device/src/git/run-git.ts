import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { pathForGit } from './path-for-git.ts'

export type GitEnv = Readonly<Record<string, string | undefined>>

/** An explicit repository: git does not search for one. */
export type GitPlace = {
  gitDir: string
  work?: string | undefined
  /** Settings that keep git from running programs that a run may have written; see `suspectSettings`. */
  instead?: readonly (readonly [key: string, value: string])[]
}

export type GitOptions = {
  cwd: string
  env: GitEnv
  /** The repository. Without it git searches in `cwd` only, not in the folders above. */
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

/** The name of the tree without files, which every repository knows. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** How to start git. Every git call on the user's machine is built by `gitCall`. */
export type GitCall = { program: string; args: string[]; env: GitEnv }

/**
 * Builds a git call that files of a run cannot influence: bare repositories inside the folder are ignored; hooks, file
 * system monitors, pagers and submodules are off; of filters, keys and helpers only the user's own are used. With
 * `hooks` the user's hooks run, after the user was asked.
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

/** Settings as environment variables: `git -c` splits at the first `=`, which may be inside the key. */
function asEnvironment(settings: readonly (readonly [key: string, value: string])[]): GitEnv {
  if (settings.length === 0) return {}
  const words = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ])
  return { GIT_CONFIG_COUNT: `${settings.length}`, ...Object.fromEntries(words) }
}

// Git before 2.38 does not know the first setting: there the explicit places above protect.
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

/** Runs git and returns its output. Messages are in English, git asks nothing, and takes no optional locks. */
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
    // Git may end before it has read all input; its own error message tells more than the broken pipe.
    child.stdin!.on('error', () => {})
    child.stdin!.end(input)
  })
}

/** The synchronous version, for a temporary repository. */
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

/** The environment without GIT_ variables that were set for another repository. */
export const gitEnv = (env: GitEnv): GitEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || ofUser.test(name)))

// These name the user's settings files, which apply to all repositories.
const ofUser = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/

/** The same without the user's and the system's settings: for a temporary repository of ours. */
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
