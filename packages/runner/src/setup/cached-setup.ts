import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  lstatSync,
  openAsBlob,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { findSetupCache, keepSetupCache } from '@farhand/client/resources/setup-cache'
import { SetupCache } from '@farhand/protocol/schemas/setup-cache'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { dependencyFiles, isOfDependencies } from './dependency-files.ts'
import { type Never, NotPacked, pack, unpack } from './pack.ts'
import { scanWorkspace, type WorkspaceScan } from './scan-workspace.ts'

export type CachedSetupParts = {
  hub: Hub
  at: RunAddress
  command: string
  root: string
  /** A folder outside of the workspace. */
  state: string
  /** Values that must not be in the cache. */
  secrets: readonly string[]
  mostBytes?: number
  signal: AbortSignal
  /** Aborts uploads that go on while the agent works. */
  sending: AbortSignal
}

const defaultMostBytes = 1024 ** 3
const patienceMs = 5_000
/** The workspace's path in every isolated sandbox; other sandboxes have a folder each. */
const commonRoot = '/workspace'

/**
 * A cache at the hub of what a setup command makes, for other runs of the project (W42). Any failure just means that
 * there is no cache.
 */
export class CachedSetup {
  readonly #parts: CachedSetupParts

  constructor(parts: CachedSetupParts) {
    this.#parts = parts
  }

  /** The cache key: the command, the files it depends on, and the kind of system. */
  key({ files }: WorkspaceScan): Promise<string> {
    const { root, command } = this.#parts
    const system = [process.platform, process.arch, `node ${process.versions.node.split('.')[0]}`]
    return hashFiles(root, dependencyFiles(command, files.keys()), ['setup', command, ...system])
  }

  /**
   * `whole`: everything is as if the command had run. `some`: the command has to run, and may find something to build
   * on.
   */
  async restore(key: string, around: WorkspaceScan): Promise<'whole' | 'some' | 'none'> {
    const { hub, at, root, state, signal } = this.#parts
    const options = { signal, patienceMs }
    const file = path.join(state, 'setup-found.tgz')
    try {
      const kept = await findSetupCache(hub, at, key, options)
      if (!kept || kept.paths.some((one) => around.ignored.has(one))) return 'none'
      const bytes = downloadBlob(hub, at, kept.hash, { ...options, newHasher: () => createHash('sha256') })
      await pipeline(bytes, createWriteStream(file, { mode: 0o600 }), { signal })
      if (!(await unpack(file, root, kept.paths, signal))) return 'some'
      // Ignore rules may differ here: then the files would be synced.
      const now = await scanWorkspace(root)
      if (!kept.paths.every((one) => now.ignored.has(one))) return 'some'
      return kept.tree === null || kept.tree === (await this.#tree(now)) ? 'whole' : 'some'
    } catch {
      signal.throwIfAborted()
      return 'none'
    } finally {
      rmSync(file, { force: true })
    }
  }

  /**
   * Stores what the command has made since it began, or says why not. The decision is made when this resolves; `sent`
   * resolves when the upload is done.
   */
  async keep(key: string, before: WorkspaceScan): Promise<{ why: string } | { sent: Promise<void> }> {
    const { hub, at, root, state, signal, sending, mostBytes = defaultMostBytes } = this.#parts
    const now = await scanWorkspace(root)
    if (!isSame(before.files, now.files)) return { why: 'it changed files that are synced' }
    // After an interrupted setup, only a part would be stored.
    if (before.ignored.size > 0) return { why: 'something was there before that other runs may not have' }
    const made = [...now.ignored].filter((one) => !one.includes('\n')).sort()
    const to = path.join(state, 'setup-made.tgz')
    try {
      if (made.length === 0) return { why: 'it made nothing that is not synced' }
      const hash = await pack({ root, paths: made, to, mostBytes, never: this.#never(), signal })
      const tree = isOfDependencies(made) ? null : await this.#tree(now)
      const cache = SetupCache.parse({ hash, paths: made, tree })
      await keepSetupCache(hub, at, key, cache, { signal, patienceMs })
      const source = { hash, size: statSync(to).size, open: () => openAsBlob(to) }
      const sent = uploadBlobs(hub, at, [source], { signal: sending, patienceMs: 60_000 })
        .then(() => {})
        .finally(() => rmSync(to, { force: true }))
      return { sent }
    } catch (error) {
      signal.throwIfAborted()
      rmSync(to, { force: true })
      return { why: error instanceof NotPacked ? error.message : 'the hub would not have it' }
    }
  }

  #never(): Never[] {
    const { root, secrets } = this.#parts
    const places = root === commonRoot ? [] : [root, realpathSync(root)]
    return [
      ...secrets.map((text) => ({ text, why: 'a secret is in it' })),
      ...places.map((text) => ({ text, why: 'it names the folder that it was made in' })),
    ]
  }

  #tree({ files }: WorkspaceScan): Promise<string> {
    return hashFiles(this.#parts.root, [...files.keys()].sort())
  }
}

function isSame(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  if (before.size !== now.size) return false
  for (const [one, word] of now) if (before.get(one) !== word) return false
  return true
}

/** One hash for these words and files: paths, contents, and whether they are executable. */
async function hashFiles(
  root: string,
  paths: readonly string[],
  words: readonly string[] = [],
): Promise<string> {
  const all = createHash('sha256').update(JSON.stringify(words))
  for (const one of paths) {
    const place = path.join(root, one)
    const stat = lstatSync(place)
    const content = createHash('sha256')
    if (stat.isSymbolicLink()) content.update(readlinkSync(place))
    else if (stat.isFile()) await pipeline(createReadStream(place), content)
    const kind = stat.isSymbolicLink() ? 'link' : stat.mode & 0o111 ? 'program' : 'file'
    all.update(JSON.stringify([one, kind, content.digest('hex')]))
  }
  return all.digest('hex')
}
