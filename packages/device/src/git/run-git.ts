import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { guarded, noHooks, quiet, runGit as runProcess } from '@farhand/runner/checkpoints/git/git-process'
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
  options: Pick<GitOptions, 'cwd' | 'env' | 'at'>,
  { hooks = false }: { hooks?: boolean } = {},
): GitCall {
  const env = environmentFor(options)
  return { program: 'git', args: guarded(args, hooks ? [] : [noHooks]), env }
}

function environmentFor({ cwd, env, at }: Pick<GitOptions, 'cwd' | 'env' | 'at'>): GitEnv {
  const place = at
    ? { GIT_DIR: at.gitDir, ...(at.work !== undefined && { GIT_WORK_TREE: at.work }) }
    : // A list of folders in which git must not look for a repository, nor above them.
      { GIT_CEILING_DIRECTORIES: path.dirname(path.resolve(cwd)) }
  return { ...env, ...place, ...asEnvironment(at?.instead ?? []), ...pathForGit(env, [cwd, at?.work]) }
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

/** Runs git and returns its output. */
export function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { cwd, input, signal } = options
  const env = { ...environmentFor(options), ...alsoQuiet }
  return runProcess(args, { cwd, env, settings: [noHooks], input, signal })
}

/** The synchronous version, for a temporary repository. */
export function runGitSync(args: readonly string[], options: Pick<GitOptions, 'cwd' | 'env'>): string {
  const call = gitCall(args, options)
  return execFileSync(call.program, call.args, {
    cwd: options.cwd,
    env: { ...call.env, ...alsoQuiet },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  })
}

// The user may have set these.
const alsoQuiet = { ...quiet, LANGUAGE: '', GIT_NO_REPLACE_OBJECTS: '1', GIT_PAGER: 'cat' }

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
