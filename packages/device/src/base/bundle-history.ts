import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { BaseFailed } from './base-failed.ts'
import { type Cut, cutHistory, depthsToTry } from './cut-history.ts'
import type { Repository } from './read-repository.ts'
import { type Ref, refsToSend } from './refs-to-send.ts'
import { GitFailed } from './run-git.ts'

/** Runs git in a repository of our own. */
export type OwnGit = (args: readonly string[], input?: string | Buffer) => Promise<string>

export type BundleParts = {
  repository: Repository
  /** A repository of our own that borrows its objects. */
  own: string
  ours: OwnGit
  /** A longer history than this is cut short. */
  mostBytes?: number
}

const wholeHistoryBytes = 256 * 1024 * 1024
const mostCommits = 5_000

/**
 * Writes a bundle with a commit, what is staged, and the names that go along. A history that is too long, or not whole, is
 * cut: then `shallow` says where, and `cut` how deep it goes.
 */
export async function bundleHistory(
  { repository, own, ours, mostBytes = wholeHistoryBytes }: BundleParts,
  { sha, index, file }: { sha: string; index: string | null; file: string },
): Promise<{ shallow: string[]; cut: number | null }> {
  const refs = refsToSend(repository.refs, repository)
  const tries = depthsToTry(repository.storedBytes, mostBytes)
  let trouble: unknown = null
  for (const [nth, depth] of tries.entries()) {
    const isLast = nth === tries.length - 1
    try {
      const left = depth === null ? null : await cutAt(ours, repository, sha, refs, depth)
      const kept = refs.filter(({ commit }) => !left || left.commits.has(commit))
      const shallow = [...new Set([...repository.shallow, ...(left?.shallow ?? [])])]
      await writeFile(path.join(own, 'shallow'), shallow.map((commit) => `${commit}\n`).join(''))
      await nameAll(ours, kept, sha, index)
      await ours(['-c', 'pack.window=0', 'bundle', 'create', '--quiet', file, '--all'])
      if (!isLast && (await stat(file)).size > mostBytes) continue
      return { shallow: await withinReach(ours, shallow), cut: depth }
    } catch (error) {
      // Of some clones not everything is here; the files that are checked out are.
      if (!(error instanceof GitFailed)) throw error
      trouble = error
    }
  }
  throw new BaseFailed(
    `The history of ${repository.folder} cannot be packed: ${(trouble as Error | null)?.message}`,
    '`git fsck` says what is missing; `git fetch --refetch` may bring it back.',
    trouble,
  )
}

async function cutAt(
  ours: OwnGit,
  { shallow }: Repository,
  sha: string,
  refs: readonly Ref[],
  depth: number,
): Promise<Cut> {
  const tips = [sha, ...refs.filter(({ name }) => !name.startsWith('refs/tags/')).map(({ commit }) => commit)]
  const args = ['rev-list', '--parents', `--max-count=${mostCommits}`, ...new Set(tips)]
  const parentsOf = new Map(
    (await ours(args)).split('\n').map((line) => {
      const [commit = '', ...parents] = line.split(' ')
      return [commit, parents] as const
    }),
  )
  for (const commit of shallow) parentsOf.set(commit, [])
  return cutHistory(tips, parentsOf, depth)
}

/** Makes these the only names, whatever an earlier try has made. */
async function nameAll(ours: OwnGit, refs: readonly Ref[], sha: string, index: string | null): Promise<void> {
  const wanted = new Map(refs.map(({ name, object }) => [name, object]))
  wanted.set('refs/farhand/base', sha)
  if (index !== null) wanted.set('refs/farhand/index', index)
  const before = (await ours(['for-each-ref', '--format=%(refname)'])).split('\n')
  const gone = before.filter((name) => name !== '' && !wanted.has(name)).map((name) => `delete ${name}\n`)
  const made = [...wanted].map(([name, object]) => `update ${name} ${object}\n`)
  await ours(['update-ref', '--stdin'], [...gone, ...made].join(''))
}

/** A repository may list commits that no name leads to any more. */
async function withinReach(ours: OwnGit, shallow: readonly string[]): Promise<string[]> {
  if (shallow.length === 0) return []
  const reached = new Set((await ours(['rev-list', '--all'])).split('\n'))
  return shallow.filter((commit) => reached.has(commit))
}
