import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { openRepository } from '../git/find-repository.ts'
import { type GitEnv, gitEnv, runGit } from '../git/run-git.ts'
import { BaseFailed } from './base-failed.ts'
import type { Ref, RefPosition } from './refs-to-send.ts'
import { withoutCredentials } from './without-credentials.ts'

export type Repository = RefPosition & {
  folder: string
  /** The folder of its objects; a linked worktree shares it with others. */
  objects: string
  format: string
  /** The commit of HEAD; null before the first one. */
  head: string | null
  refs: Ref[]
  shallow: string[]
  remotes: { name: string; url: string }[]
  user: { name: string; email: string } | null
  storedBytes: number
  git: (...args: string[]) => Promise<Buffer>
  /** The same, with standard input. */
  ask: (input: string, ...args: string[]) => Promise<Buffer>
}

const mostRemotes = 50

/**
 * Reads the repository of a folder; null if it has none of its own. Nothing is changed, not even what git itself would
 * change when it reads.
 */
export async function readRepository(
  folder: string,
  env: GitEnv,
  signal: AbortSignal,
): Promise<Repository | null> {
  if (!existsSync(path.join(folder, '.git'))) return null
  const found = await openRepository(folder, asked, { env, signal }).catch((error: unknown) => {
    throw whyNot(folder, error)
  })
  // If .git is invalid, git may take the folder itself for a bare repository.
  if (!found || found.said[1] === 'true' || found.said[2] !== '')
    throw new BaseFailed(
      `${folder}/.git is not a repository that git can use.`,
      'Check it with `git status`.',
    )
  const [format = 'sha1', , , objects = '', shallowFile = ''] = found.said
  const options = { cwd: folder, env: gitEnv(env), at: found.place, signal }
  const git = (...args: string[]) => runGit(args, options)
  const ask = (input: string, ...args: string[]) => runGit(args, { ...options, input })
  const text = async (...args: string[]) => (await git(...args)).toString('utf8').replace(/\n$/, '')
  const orNull = (...args: string[]) => text(...args).catch(nullIfNone)
  const [head, branch] = await Promise.all([
    orNull('rev-parse', '--quiet', '--verify', 'HEAD^{commit}'),
    orNull('symbolic-ref', '--quiet', 'HEAD'),
  ])
  const follows = branch ? await text('for-each-ref', '--format=%(upstream)', branch) : ''
  const remote = /^refs\/remotes\/([^/]+)\//.exec(follows)?.[1] ?? 'origin'
  const mainThere = await orNull('symbolic-ref', '--quiet', `refs/remotes/${remote}/HEAD`)
  const names = [branch, follows, mainThere, mainThere?.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/')]
  const [named, tags, remotes, name, email, stored] = await Promise.all([
    text('for-each-ref', refFormat, ...new Set(names.filter((one) => !!one) as string[]), 'refs/none'),
    head ? text('for-each-ref', refFormat, '--sort=-creatordate', `--merged=${head}`, 'refs/tags') : '',
    orNull('config', '--null', '--get-regexp', '^remote\\..*\\.url$'),
    orNull('config', '--get', 'user.name'),
    orNull('config', '--get', 'user.email'),
    text('count-objects', '-v'),
  ])
  const refs = [...refsOf(named), ...refsOf(tags)]
  return {
    folder,
    objects: path.resolve(folder, objects),
    format,
    head,
    branch,
    upstream: refs.some((ref) => ref.name === follows) ? follows : null,
    mainThere,
    refs,
    shallow: linesOf(path.resolve(folder, shallowFile)),
    remotes: remotesOf(remotes ?? ''),
    user: name && email ? { name, email } : null,
    storedBytes: bytesOf(stored),
    git,
    ask,
  }
}

const asked = [
  '--show-object-format',
  '--is-bare-repository',
  '--show-prefix',
  '--git-path',
  'objects',
  '--git-path',
  'shallow',
]
const refFormat = '--format=%(refname)%00%(objectname)%00%(*objectname)%00%(objecttype)%00%(*objecttype)'

function nullIfNone(error: unknown): null {
  if (error instanceof GitFailed && error.code === 1) return null
  throw error
}

/** Refs that lead to a commit; a tag of a file does not. */
const refsOf = (printed: string): Ref[] =>
  printed.split('\n').flatMap((line) => {
    const [name = '', object = '', behind = '', type, behindType] = line.split('\0')
    if (type === 'commit') return [{ name, object, commit: object }]
    return behindType === 'commit' ? [{ name, object, commit: behind }] : []
  })

const remotesOf = (printed: string) =>
  printed
    .split('\0')
    .flatMap((entry) => {
      const [, name, url] = /^remote\.(.*)\.url\n(.*)$/is.exec(entry) ?? []
      return name && url ? [{ name, url: withoutCredentials(url) }] : []
    })
    .slice(0, mostRemotes)

function bytesOf(counted: string): number {
  const kib = (what: string) => Number(new RegExp(`^${what}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0)
  return (kib('size') + kib('size-pack')) * 1024
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    // A complete history has no such file.
    return []
  }
}

function whyNot(folder: string, error: unknown): unknown {
  if (!(error instanceof GitFailed)) return error
  if (error.code === null)
    return new BaseFailed(
      `${folder} is a git repository, but git is not installed.`,
      'Install git, or give an address to --clone.',
      error,
    )
  if (/dubious ownership/.test(error.stderr))
    return new BaseFailed(
      `Git does not trust ${folder}: it belongs to another user.`,
      `If you do: git config --global --add safe.directory ${folder}`,
      error,
    )
  return new BaseFailed(
    `Git cannot read the repository in ${folder}: ${error.stderr.trim().split('\n')[0] ?? ''}`,
    'Check it with `git status`.',
    error,
  )
}
