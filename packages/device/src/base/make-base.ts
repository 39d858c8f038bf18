import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { bareGitEnv, type GitEnv, runGit } from '../git/run-git.ts'
import { type BundleParts, bundleHistory, type OwnGit } from './bundle-history.ts'
import { type Repository, readRepository } from './read-repository.ts'

/** The base of a run: a bundle on this disk, and the facts that its event needs (W40). */
export type Base = {
  file: string
  hash: BlobHash
  /** The length of the header before the pack. */
  headBytes: number
  /** The file with the index of its pack. */
  packIndex: string
  sha: string
  head: string | null
  branch: string | null
  index: string | null
  upstream: string | null
  shallow: string[]
  remotes: { name: string; url: string }[]
  user: { name: string; email: string } | null
  /** Deletes its files. */
  remove(): Promise<void>
}

export type MadeBase = {
  /** Null if only the folder's files are sent. */
  base: Base | null
  /** For the user: what of the repository is not sent. */
  warnings: string[]
}

export type BaseOptions = {
  env: GitEnv
  /** A folder outside the repository, on a disk with room for its history. */
  scratch: string
  signal: AbortSignal
  /** A longer history than this is cut short. */
  mostBytes?: number
}

const prefix = 'base-'
const oldMs = 24 * 60 * 60 * 1000

/**
 * Makes a bundle of a folder's repository, in a temporary repository that borrows its objects: the user's index, HEAD,
 * refs and settings do not change. Without a repository of its own, only the folder's files are sent.
 */
export async function makeBase(folder: string, options: BaseOptions): Promise<MadeBase> {
  const repository = await readRepository(folder, options.env, options.signal)
  if (!repository) return { base: null, warnings: [] }
  // The runner's repository uses sha1.
  if (repository.format !== 'sha1')
    return { base: null, warnings: [`The history is not sent: it uses ${repository.format}.`] }
  await removeLeftBehind(options.scratch)
  const scratch = await mkdtemp(path.join(options.scratch, prefix))
  const remove = () => rm(scratch, { recursive: true, force: true })
  try {
    const { warnings, ...made } = await bundled(repository, scratch, options)
    return { base: { ...made, remove }, warnings }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Removes temporary folders of killed processes, but none that may be in use. */
async function removeLeftBehind(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    const place = path.join(scratch, name)
    const isOld = name.startsWith(prefix) && Date.now() - (await stat(place)).mtimeMs > oldMs
    if (isOld) await rm(place, { recursive: true, force: true })
  }
}

async function bundled(repository: Repository, scratch: string, options: BaseOptions) {
  const own = path.join(scratch, 'repository')
  const env = { ...bareGitEnv(options.env), GIT_INDEX_FILE: path.join(scratch, 'index') }
  const ours: OwnGit = async (args, input) => {
    const printed = await runGit(args, {
      cwd: scratch,
      env,
      at: { gitDir: own },
      signal: options.signal,
      ...(input !== undefined && { input }),
    })
    return printed.toString('utf8').trim()
  }
  await ours(['init', '--quiet', '--bare', '--template=', '--initial-branch=none', own])
  await writeFile(path.join(own, 'objects/info/alternates'), `${quoted(repository.objects)}\n`)
  const { mostBytes } = options
  const parts = { repository, own, ours, ...(mostBytes !== undefined && { mostBytes }) }
  const staged = stagedEntries(await repository.git('ls-files', '--stage', '-z'))
  const index = await stagedCommit(parts, staged)
  const sha = repository.head ?? index
  if (sha === null) throw new Error('neither a commit nor an index')
  const file = path.join(scratch, 'base.bundle')
  const { shallow, cut, hash, headBytes, index: packIndex } = await bundleHistory(parts, { sha, index, file })
  const { head, branch, upstream, remotes, user } = repository
  const warnings = warningsOf(staged, cut)
  const name = branch?.replace(/^refs\/heads\//, '') ?? null
  const bundle = { file, hash, headBytes, packIndex }
  return { ...bundle, sha, head, branch: name, index, upstream, shallow, remotes, user, warnings }
}

// In `alternates` a line that begins with a quote is a C string.
const quoted = (place: string) => (/^"|[\n\\]/.test(place) ? JSON.stringify(place) : place)

/** A commit of the staged files; null if nothing is staged. */
async function stagedCommit(
  { repository, ours }: BundleParts,
  { info }: StagedEntries,
): Promise<string | null> {
  const { head, git } = repository
  if (head && (await isSame(git('diff-index', '--cached', '--quiet', head)))) return null
  // `git add --intent-to-add` leaves an empty file in the index that may have no object yet.
  await ours(['hash-object', '-w', '--stdin'], '')
  await ours(['update-index', '-z', '--index-info'], info)
  const tree = await ours(['write-tree', '--missing-ok'])
  return await ours(['commit-tree', tree, '-m', 'What was staged', ...(head ? ['-p', head] : [])])
}

async function isSame(looking: Promise<unknown>): Promise<boolean> {
  try {
    await looking
    return true
  } catch (error) {
    if (error instanceof GitFailed && error.code === 1) return false
    throw error
  }
}

function warningsOf({ submodules, unmerged }: StagedEntries, depth: number | null): string[] {
  const some = (paths: readonly string[]) => paths.slice(0, 3).join(', ') + (paths.length > 3 ? ', ...' : '')
  return [
    ...(depth === null
      ? []
      : [
          `The history is long: only the newest ${depth === 1 ? 'commit goes' : `${depth} commits deep go`} along.`,
        ]),
    ...(submodules.length > 0
      ? [`Submodules are sent as files, without their history: ${some(submodules)}.`]
      : []),
    ...(unmerged.length > 0
      ? [`An unfinished merge is not sent: ${some(unmerged)}. The files are sent as they are.`]
      : []),
  ]
}

type StagedEntries = {
  /** The input for `git update-index --index-info`, each entry ended by NUL. */
  info: Buffer
  /** Paths with merge conflicts; our side is taken. */
  unmerged: string[]
  submodules: string[]
}

/** Parses the output of `git ls-files --stage -z`. */
function stagedEntries(printed: Buffer): StagedEntries {
  const kept: Buffer[] = []
  const unmerged = new Set<string>()
  const submodules: string[] = []
  for (let from = 0; from < printed.length; ) {
    const end = printed.indexOf(0, from)
    const line = printed.subarray(from, end + 1)
    from = end + 1
    const tab = line.indexOf(9)
    // Paths are kept as bytes: they need not be valid text.
    const [mode = '', object = '', stage = ''] = line.subarray(0, tab).toString('latin1').split(' ')
    const path = () => line.subarray(tab + 1, -1).toString('utf8')
    if (stage !== '0') unmerged.add(path())
    if (mode === '160000') submodules.push(path())
    if (stage !== '0' && stage !== '2') continue
    kept.push(Buffer.from(`${mode} ${object} 0`, 'latin1'), line.subarray(tab))
  }
  return { info: Buffer.concat(kept), unmerged: [...unmerged], submodules }
}
