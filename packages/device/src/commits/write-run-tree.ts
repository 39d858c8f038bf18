import { createHash, type Hash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { downloadBlob, readBlob } from '@farhand/client/blobs/download-blob'
import type { Hub } from '@farhand/client/requests/hub'
import { inParallel } from '@farhand/kit/in-parallel'
import type { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { writePieces } from '@farhand/runner/checkpoints/verified-contents'
import { emptyTree, gitEnv, runGit } from '../git/run-git.ts'
import { CommitsFailed, whyGitFailed } from './commits-failed.ts'
import { type CommittedFile, planTree } from './plan-tree.ts'
import type { UserRepository } from './user-repository.ts'

export type TreeParts = {
  repository: UserRepository
  /** An empty temporary folder. */
  scratch: string
  hub: Hub
  at: RunAddress
  signal: AbortSignal
}

const abreast = 8

/**
 * Writes a git tree with all files as the log has them, without a ref, and returns its name. It uses an index and a
 * work tree of ours, with the user's filters, as if they had added the files; but not filters inside the work tree,
 * which a run may have written.
 */
export async function writeRunTree(
  parts: TreeParts,
  commit: string | null,
  files: WorkspaceTree,
): Promise<string> {
  const { repository, scratch, hub, at, signal } = parts
  const committed = await filesOf(repository, commit, signal)
  const { put, remove } = planTree(committed, files.files(), (path) => files.entry(path))
  if (put.length === 0 && remove.length === 0)
    return commit ? await repository.text(['rev-parse', `${commit}^{tree}`], { signal }) : emptyTree
  const work = join(scratch, 'work')
  mkdirSync(work, { recursive: true, mode: 0o700 })
  const plain = put.filter(({ entry }) => entry.mode !== '120000')
  await inParallel(plain, abreast, signal, (file, signal) =>
    write(join(work, file.path), file, { hub, at, signal }),
  )
  // Symlinks last and in this order: on a disk that ignores case, a file could be written through a symlink.
  for (const { path, entry } of put)
    if (entry.mode === '120000') {
      const target = Buffer.from(await readBlob(hub, at, entry.hash, { signal }))
      mkdirSync(dirname(join(work, path)), { recursive: true })
      symlinkSync(target, join(work, path))
    }
  const env = {
    ...gitEnv(repository.env),
    GIT_INDEX_FILE: join(scratch, 'index'),
  }
  const git = async (args: readonly string[], input = '') => {
    const at = { ...repository.place, work }
    const printed = await runGit([...asTheyAre, ...args], { cwd: work, env, at, input, signal })
    return printed.toString('utf8').trim()
  }
  try {
    await git(['read-tree', commit ?? emptyTree])
    const gone = remove.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`).join('')
    await git(['update-index', '-z', '--index-info'], gone)
    const names = put.map(({ path }) => `${path}\0`).join('')
    await git(['update-index', '--add', '--replace', '-z', '--stdin'], names)
    return await git(['write-tree'])
  } catch (error) {
    const why = whyGitFailed(error, repository.folder)
    if (!(why instanceof GitFailed)) throw why
    throw new CommitsFailed(
      `Git does not take the files of the run: ${why.stderr.trim().split('\n').at(-1) ?? ''}`,
      'A filter of this repository may have failed: .gitattributes names it.',
      { cause: error },
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

// Modes and symlinks come from the log, even if git expects other ones on this disk.
const asTheyAre = [
  'core.fileMode=true',
  'core.symlinks=true',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'core.sparseCheckout=false',
].flatMap((setting) => ['-c', setting])

async function filesOf(
  repository: UserRepository,
  commit: string | null,
  signal: AbortSignal,
): Promise<Map<string, CommittedFile>> {
  if (!commit) return new Map()
  const listed = (await repository.run(['ls-tree', '-r', '-z', '--full-tree', commit], { signal })).toString()
  const rows = listed.split('\0').flatMap((line) => {
    const [, mode, sha, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    return mode && sha && path !== undefined ? [{ mode, sha, path }] : []
  })
  const blobs = [...new Set(rows.filter(({ mode }) => mode !== '160000').map(({ sha }) => sha))]
  let sums = new Map<string, string>()
  const input = blobs.map((sha) => `${sha}\n`).join('')
  await repository.stream(['cat-file', '--batch', '--buffer'], { input, signal }, async (printed) => {
    sums = await blobHashes(printed)
  })
  return new Map(rows.map(({ path, mode, sha }) => [path, { mode, sha, hash: sums.get(sha) ?? null }]))
}

async function write(
  place: string,
  { path, entry }: { path: WorkspacePath; entry: FileEntry },
  { hub, at, signal }: Pick<TreeParts, 'hub' | 'at' | 'signal'>,
): Promise<void> {
  mkdirSync(dirname(place), { recursive: true })
  const options = { signal, newHasher: () => createHash('sha256') }
  try {
    await writePieces(downloadBlob(hub, at, entry.hash, options), place)
  } catch (error) {
    if ((error as { code?: string }).code !== 'blob.unknown') throw error
    throw new CommitsFailed(
      `The hub does not have ${path} any more.`,
      'Change it, in the run or in a linked folder: then it is stored again.',
      { cause: error },
    )
  }
  if (entry.mode === '100755') chmodSync(place, 0o755)
}

const newline = 10

/**
 * The SHA-256 of each blob in the output of `git cat-file --batch`, by object name, without holding a blob in memory.
 */
export async function blobHashes(printed: AsyncIterable<Uint8Array>): Promise<Map<string, string>> {
  const sums = new Map<string, string>()
  let head = ''
  let at: { name: string; left: number; hash: Hash } | null = null
  for await (const piece of printed) {
    for (let from = 0; from < piece.length; ) {
      if (!at) {
        const end = piece.indexOf(newline, from)
        head += Buffer.from(piece.subarray(from, end === -1 ? piece.length : end)).toString('latin1')
        if (end === -1) break
        from = end + 1
        const [name = '', kind, size] = head.split(' ')
        head = ''
        // A missing object has no content.
        if (kind === 'blob') at = { name, left: Number(size), hash: createHash('sha256') }
        continue
      }
      if (at.left > 0) {
        const part = piece.subarray(from, from + at.left)
        at.hash.update(part)
        at.left -= part.length
        from += part.length
        continue
      }
      // The newline after the content.
      from += 1
      sums.set(at.name, `sha256_${at.hash.digest('hex')}`)
      at = null
    }
  }
  return sums
}
