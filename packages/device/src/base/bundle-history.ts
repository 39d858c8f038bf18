import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { BaseFailed } from './base-failed.ts'
import { type Cut, cutHistory, depthsToTry } from './cut-history.ts'
import type { Repository } from './read-repository.ts'
import { type Ref, refsToSend } from './refs-to-send.ts'

/** Runs git in a temporary repository of ours. */
export type OwnGit = (args: readonly string[], input?: string | Buffer) => Promise<string>

export type BundleParts = {
  repository: Repository
  /** A temporary repository that borrows the user's objects. */
  own: string
  ours: OwnGit
  /** A longer history than this is cut short. */
  mostBytes?: number
}

/** A larger history is not sent as a whole. */
export const wholeHistoryBytes = 256 * 1024 * 1024
const mostCommits = 5_000

/**
 * Writes a bundle with a commit, the index, and the refs to send. A history that is too large or incomplete is cut:
 * then `shallow` lists where, and `cut` is its depth. `index` is the file with the index of its pack.
 */
export async function bundleHistory(
  { repository, own, ours, mostBytes = wholeHistoryBytes }: BundleParts,
  { sha, index, file }: { sha: string; index: string | null; file: string },
): Promise<{ shallow: string[]; cut: number | null; index: string; hash: BlobHash; headBytes: number }> {
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
      const named = await nameAll(ours, kept, sha, index)
      const made = `${file}-${await ours([...packAll, file])}`
      if (!isLast && (await stat(`${made}.pack`)).size > mostBytes) {
        await rm(`${made}.pack`)
        continue
      }
      const written = await writeBundle(file, named, `${made}.pack`)
      return { shallow: await withinReach(ours, shallow), cut: depth, index: `${made}.idx`, ...written }
    } catch (error) {
      // A partial clone may lack old objects, but has those of the checked-out files: try a shorter history.
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

// Not `bundle create`, which throws the index of the pack away.
const packAll = ['-c', 'pack.window=0', 'pack-objects', '--quiet', '--all', '--delta-base-offset']

/** Writes the same file as `git bundle create`, and hashes it meanwhile. Removes the pack. */
async function writeBundle(
  file: string,
  named: ReadonlyMap<string, string>,
  pack: string,
): Promise<{ hash: BlobHash; headBytes: number }> {
  const refs = [...named].map(([name, object]) => `${object} ${name}\n`)
  const head = `# v2 git bundle\n${refs.join('')}\n`
  const sum = createHash('sha256').update(head)
  const to = await open(file, 'w', 0o600)
  try {
    await to.write(head)
    for await (const piece of createReadStream(pack, { highWaterMark: 1024 * 1024 })) {
      sum.update(piece as Buffer)
      await to.write(piece as Buffer)
    }
  } finally {
    await to.close()
  }
  await rm(pack)
  return { hash: BlobHash.parse(`sha256_${sum.digest('hex')}`), headBytes: Buffer.byteLength(head) }
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

/** Makes these the only refs, and removes those of an earlier try. Returns them with their objects. */
async function nameAll(ours: OwnGit, refs: readonly Ref[], sha: string, index: string | null) {
  const wanted = new Map(refs.map(({ name, object }) => [name, object]))
  wanted.set('refs/farhand/base', sha)
  if (index !== null) wanted.set('refs/farhand/index', index)
  const before = (await ours(['for-each-ref', '--format=%(refname)'])).split('\n')
  const gone = before.filter((name) => name !== '' && !wanted.has(name)).map((name) => `delete ${name}\n`)
  const made = [...wanted].map(([name, object]) => `update ${name} ${object}\n`)
  await ours(['update-ref', '--stdin'], [...gone, ...made].join(''))
  return wanted
}

/** Only the shallow commits that some ref still reaches. */
async function withinReach(ours: OwnGit, shallow: readonly string[]): Promise<string[]> {
  if (shallow.length === 0) return []
  const reached = new Set((await ours(['rev-list', '--all'])).split('\n'))
  return shallow.filter((commit) => reached.has(commit))
}
