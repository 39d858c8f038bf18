import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileUrls } from '@farhand/client/blobs/file-urls'
import type { Witness } from '@farhand/client/follow/witness'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { stampOf } from '@farhand/sync/disk/index/file-stamp'
import { saveKnown } from '@farhand/sync/disk/index/hash-cache'
import { KnownFiles } from '@farhand/sync/disk/index/known-files'
import { isOwnPath } from '@farhand/sync/disk/workspace/never-synced'
import { openMemoryFile } from '@farhand/sync/state/memory-file'
import type { RestorePoint } from './bundle-chain.ts'
import { makeDotGit } from './dot-git.ts'
import type { CheckpointRepository } from './git/checkpoint-repository.ts'
import { type BundleSource, importBundles } from './import-bundles.ts'
import { type Differs, type LogFile, planToBring, planToPut } from './restore-plan.ts'
import { entryAt } from './verified-contents.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** The files of the log so far. */
export type LogSoFar = { tree: WorkspaceTree; witness: Witness; maxFileBytes: number | null }

export type RestoreParts = BundleSource & {
  repository: CheckpointRepository
  root: string
  /** The sync engine's state of this workspace. */
  memory: string
}

export type Restored = {
  from: RestorePoint
  /** Files that are not as in the log because the hub has lost their content. */
  missing: WorkspacePath[]
  /** Files whose version in the restored tree is not that of the log. */
  differs: WorkspacePath[]
}

/** Whether this workspace is new: neither files nor sync state. Removes the rest of an interrupted restore first. */
export function isUntouched(root: string, memory: string): boolean {
  if (existsSync(join(memory, 'memory'))) return false
  if (existsSync(join(memory, restoring))) empty(root)
  return readdirSync(root).every((name) => isOwnPath(name as WorkspacePath))
}

const restoring = 'restoring'

/** Until `endRestoring`, the next runner clears the workspace first. */
export function beginRestoring(memory: string): void {
  mkdirSync(memory, { recursive: true, mode: 0o700 })
  writeFileSync(join(memory, restoring), '')
}

/** The workspace is complete: the next runner keeps it. */
export function endRestoring(memory: string): void {
  rmSync(join(memory, restoring), { force: true })
}

/**
 * Restores an empty workspace, its repository too, from a base or checkpoint to what the log says, and prepares the
 * sync state: the sync engine downloads the rest and reports no change. If it throws, the workspace is empty.
 */
export async function restore(
  parts: RestoreParts,
  line: readonly RestorePoint[],
  log: LogSoFar,
): Promise<Restored> {
  const { repository, root, memory, signal } = parts
  const point = line.at(-1)!
  beginRestoring(memory)
  try {
    const refs = await importBundles(repository, line, parts)
    // Independent of each other, and each starts a process.
    const steps = [
      modesOf(repository, point, signal),
      checkerOut(parts, point),
      makeDotGit(repository, root, point, refs, signal),
    ] as const
    // All steps must have ended before a failure clears the workspace.
    await Promise.allSettled(steps)
    const [{ modes, others }, checkOut] = await Promise.all(steps)
    const missing = new Set<string>(point.missing)
    const plan = planToPut(filesOf(log.tree), {
      upTo: point.kind === 'base' ? 0 : point.upTo,
      missing,
      modes,
    })
    await checkOut([...plan.put, ...plan.compare].map(({ path }) => path))
    const notThere = plan.bring.map((file) => ({ file, found: null as FileEntry | null }))
    for await (const file of yieldToEventLoop(plan.compare)) {
      const found = entryAt(root, file.path, file.entry.mode)
      if (!found || !sameEntry(found, file.entry)) notThere.push({ file, found })
    }
    const expired = await expiredOf(parts, notThere)
    const { fetch, asOnce, lost } = planToBring(notThere, modes, (hash) => expired.has(hash))
    await checkOut(asOnce)
    const isNot = new Set(notThere.map(({ file }) => file.path))
    await noteStamps(root, memory, [...plan.put, ...plan.compare.filter(({ path }) => !isNot.has(path))])
    await remember(memory, log, [...fetch, ...lost.map(({ path, entry }) => ({ path, entry, found: null }))])
    endRestoring(memory)
    const extra = [...modes.keys(), ...others].filter((path) => !log.tree.entry(path as WorkspacePath))
    const differs = [...notThere.map(({ file }) => file.path), ...(extra as WorkspacePath[])]
    return { from: point, missing: [...asOnce, ...lost.map(({ path }) => path)], differs }
  } catch (error) {
    empty(root)
    endRestoring(memory)
    throw error
  }
}

/** Saves the sync engine from hashing what was just written. Nothing else has written here yet. */
async function noteStamps(root: string, memory: string, files: readonly LogFile[]): Promise<void> {
  const known = new KnownFiles()
  for await (const { path, entry } of yieldToEventLoop(files)) {
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (stats) known.set(path, { entry, stamp: stampOf(stats), size: stats.size })
  }
  saveKnown(join(memory, 'disk-cache'), known)
}

/** Prepares the sync state of a workspace that was cloned, so that sync takes differences to the log for no edits. */
export async function rememberFilled(root: string, memory: string, log: LogSoFar): Promise<void> {
  const differ: Differs[] = []
  for await (const { path, entry } of yieldToEventLoop(log.tree.rows())) {
    // Files deleted in the run do not come back with the clone.
    if (!entry) removeFile(join(root, path))
    else {
      const found = entryAt(root, path, entry.mode)
      if (!found || !sameEntry(found, entry)) differ.push({ path, entry, found })
    }
  }
  await remember(memory, log, differ)
}

function removeFile(place: string): void {
  try {
    unlinkSync(place)
  } catch {
    // It does not exist, or is a folder with other files by now.
  }
}

/** Writes the state of a folder that is in sync with the log, except for the files in `behind`. */
async function remember(memory: string, log: LogSoFar, behind: readonly Differs[]): Promise<void> {
  await openMemoryFile(memory).save({
    cursor: log.witness.id,
    tree: log.tree.rows(),
    unsettled: behind.map(({ path, entry, found }) => ({ path, agreed: found, since: [entry] })),
    base: [],
    position: null,
    maxFileBytes: log.maxFileBytes,
    witness: log.witness,
  })
}

function* filesOf(tree: WorkspaceTree): Generator<LogFile> {
  for (const { path, entry, eventId } of tree.files()) yield { path, entry, eventId }
}

async function modesOf(repository: CheckpointRepository, { sha }: RestorePoint, signal: AbortSignal) {
  const listed = (await repository.run(['ls-tree', '-r', '-z', '--full-tree', sha], { signal })).toString()
  const modes = new Map<string, string>()
  // Nested repositories: the tree names them without their content.
  const others: string[] = []
  for (const line of listed.split('\0')) {
    const tab = line.indexOf('\t')
    if (line.startsWith('160000')) others.push(line.slice(tab + 1))
    else if (tab > 0) modes.set(line.slice(tab + 1), line.slice(0, 6))
  }
  return { modes, others }
}

// All cores: nothing else can happen in the sandbox before this is done.
const abreast = ['-c', 'checkout.workers=0', '-c', 'checkout.thresholdForParallelism=200']

/** Checks out files of a tree into the workspace, many at once, without any conversion. */
async function checkerOut({ repository, root, scratch, signal }: RestoreParts, { sha }: RestorePoint) {
  const index = join(scratch, 'index.tree')
  rmSync(index, { force: true })
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: root }
  await repository.run(['read-tree', sha], { env, signal })
  return async (paths: readonly WorkspacePath[]) => {
    if (paths.length === 0) return
    const input = paths.map((path) => `${path}\0`).join('')
    await repository.run([...abreast, 'checkout-index', '--quiet', '--force', '-z', '--stdin'], {
      env,
      cwd: root,
      input,
      signal,
    })
  }
}

async function expiredOf({ hub, at, signal }: RestoreParts, files: readonly { file: LogFile }[]) {
  const hashes = [...new Set(files.map(({ file }) => file.entry.hash))]
  const expired = new Set<BlobHash>()
  for (let from = 0; from < hashes.length; from += limits.hashesPerRequest) {
    const some = hashes.slice(from, from + limits.hashesPerRequest)
    const options = { signal, patienceMs: Number.POSITIVE_INFINITY }
    const { missing } = await fileUrls(hub, at, some, options)
    for (const hash of Object.keys(missing)) expired.add(hash as BlobHash)
  }
  return expired
}

function empty(root: string): void {
  for (const name of readdirSync(root)) {
    if (!isOwnPath(name as WorkspacePath)) rmSync(join(root, name), { recursive: true, force: true })
  }
}
