import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Git, type GitRun } from '@farhand/runner/checkpoints/git/git'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { type FoundRepository, findGitTop, openRepository } from '../git/find-repository.ts'
import { pathForGit } from '../git/path-for-git.ts'
import type { GitEnv, GitPlace } from '../git/run-git.ts'
import type { Suspects } from '../git/suspect-settings.ts'
import { CommitsFailed, whyGitFailed } from './commits-failed.ts'

/** Written objects and refs must survive a power cut. No reflog: these refs are not the user's. */
const writing = ['-c', 'core.fsync=committed,reference', '-c', 'core.logAllRefUpdates=false']

/** A repository of the user's. It is only read, except by `write`; programs that its settings name are never run. */
export class UserRepository {
  /** The top of its work tree. */
  readonly folder: string
  readonly gitDir: string
  /** For git calls with the user's settings. */
  readonly place: GitPlace
  /** Settings that would make git run files that a run may have written; `place` overrides them. */
  readonly suspects: Suspects
  readonly objects: string
  readonly env: GitEnv
  /** The PATH to find git on. */
  readonly path: string
  readonly #git: Git
  readonly #shallow: string

  private constructor(
    { place, suspects }: FoundRepository,
    places: { objects: string; shallow: string },
    env: GitEnv,
  ) {
    this.folder = place.work
    this.gitDir = place.gitDir
    this.place = place
    this.suspects = suspects
    this.objects = places.objects
    this.#shallow = places.shallow
    this.env = env
    this.path = pathForGit(env, [place.work]).PATH ?? '/usr/local/bin:/usr/bin:/bin'
    this.#git = new Git(this.path)
  }

  /** The repository around this folder; null if there is none. */
  static async around(folder: string, env: GitEnv, signal: AbortSignal): Promise<UserRepository | null> {
    const top = findGitTop(folder)
    if (top === null) return null
    const found = await openRepository(top, asked, { env, signal }).catch((error: unknown) => {
      if (error instanceof GitFailed && /not a git repository|must be run in a work tree/.test(error.stderr))
        return null
      throw whyUnread(error, folder)
    })
    if (!found) return null
    const [format, objects = '', shallow = ''] = found.said
    if (format !== 'sha1')
      throw new CommitsFailed(
        `The repository in ${folder} names its commits with ${format}, and those of runs are named with sha1.`,
        'Use a clone of it that uses sha1.',
      )
    const places = { objects: path.resolve(top, objects), shallow: path.resolve(top, shallow) }
    return new UserRepository(found, places, env)
  }

  /** Its shallow file; null if the history is complete. */
  get shallow(): Buffer | null {
    try {
      return readFileSync(this.#shallow)
    } catch {
      return null
    }
  }

  /** Whether it is a partial clone. */
  async isPartial(signal: AbortSignal): Promise<boolean> {
    const asked = this.text(['config', '--get-regexp', '^remote\\..*\\.promisor$'], { signal })
    return (await asked.catch(() => '')) !== ''
  }

  /** Runs a read-only git command without the user's global settings. */
  async text(args: readonly string[], options: GitRun = {}): Promise<string> {
    return (await this.run(args, options)).toString('utf8').trim()
  }

  run(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    return this.#git.run(args, this.#here(options))
  }

  /** As `run`, for output that does not fit into memory. */
  stream(...[args, options, read]: Parameters<Git['stream']>): Promise<void> {
    return this.#git.stream(args, this.#here(options), read)
  }

  /** Runs a git command that writes objects or refs. */
  async write(args: readonly string[], options: GitRun = {}): Promise<string> {
    try {
      return await this.text([...writing, ...args], options)
    } catch (error) {
      throw whyGitFailed(error, this.folder)
    }
  }

  async has(sha: string, signal: AbortSignal): Promise<boolean> {
    return (
      (await this.text(['cat-file', '--batch-check'], { input: `${sha}^{commit}\n`, signal })).endsWith(
        ' missing',
      ) === false
    )
  }

  async isAncestor(one: string, of: string, signal: AbortSignal): Promise<boolean> {
    return (await this.text(['rev-list', '--max-count=1', one, `^${of}`], { signal })) === ''
  }

  /** The refs below this one, with their commits. */
  async refs(below: string, signal: AbortSignal): Promise<Map<string, string>> {
    const said = await this.text(['for-each-ref', '--format=%(objectname) %(refname)', below], { signal })
    return new Map(
      said.split('\n').flatMap((line) => {
        const [sha, name] = line.split(' ')
        return sha && name ? [[name, sha] as const] : []
      }),
    )
  }

  #here(options: GitRun): GitRun {
    return { ...options, env: { GIT_DIR: this.gitDir, ...options.env } }
  }
}

const asked = ['--show-object-format', '--git-path', 'objects', '--git-path', 'shallow', '--show-toplevel']

function whyUnread(error: unknown, folder: string): unknown {
  if (!(error instanceof GitFailed)) return error
  if (error.code === null)
    return new CommitsFailed('git is not installed, and commits need it.', 'Install git.', {
      cause: error,
    })
  if (/dubious ownership/.test(error.stderr))
    return new CommitsFailed(
      `Git does not trust ${folder}: it belongs to another user.`,
      `If you do: git config --global --add safe.directory ${folder}`,
      { cause: error },
    )
  return new CommitsFailed(
    `Git cannot read the repository in ${folder}: ${error.stderr.trim().split('\n')[0] ?? ''}`,
    'Check it with `git status`.',
    { cause: error },
  )
}
