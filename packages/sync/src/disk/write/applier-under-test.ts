import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change, SkipReason } from '../../engine/disk-folder.ts'
import { entryAt, hashOf } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import { KnownFiles } from '../index/known-files.ts'
import { Applier, type ApplierOptions } from './applier.ts'

export const at = (path: string) => path as WorkspacePath

export const fileOf = (text: string, mode: FileMode = '100644'): FileEntry => ({
  mode,
  hash: hashOf(Buffer.from(text)),
})

/** A workspace in a folder of its own, and hands for it that can be lost and had anew as after a crash. */
export class WorkspaceUnderTest {
  readonly root: string
  readonly unexpected: string[] = []
  readonly skipped = new Map<string, SkipReason>()
  readonly #options: Partial<ApplierOptions>
  known = new KnownFiles()
  applier: Applier

  constructor(options: Partial<ApplierOptions> = {}, below = tmpdir()) {
    this.root = join(mkdtempSync(join(below, 'farhand-apply-')), 'work')
    mkdirSync(this.root)
    this.#options = options
    this.applier = this.newApplier()
  }

  newApplier(): Applier {
    this.applier = new Applier({
      root: this.root,
      known: this.known,
      skipReason: (path) => this.skipped.get(path) ?? null,
      unexpected: (path) => this.unexpected.push(path),
      // Longer than any machine stands still in the middle of a test; `letTimePass` lets it pass.
      graceMs: 600_000,
      ...this.#options,
    })
    return this.applier
  }

  path(path: string): string {
    return join(this.root, path)
  }

  /** Knows these files as they are on the disk now, as a scan would. */
  know(...paths: string[]): void {
    for (const path of paths) {
      const stats = lstatSync(this.path(path))
      this.known.set(at(path), { entry: entryAt(this.path(path))!, stamp: stampOf(stats), size: stats.size })
    }
  }

  /** A change from what is known to this text; null deletes. */
  change(path: string, text: string | null, mode: FileMode = '100644'): Change {
    const from = this.known.get(at(path))?.entry ?? null
    if (text === null) return { path: at(path), from, to: null, size: 0 }
    const content = Buffer.from(text)
    return { path: at(path), from, to: fileOf(text, mode), size: content.length, content }
  }

  put(path: string, text: string | null, mode: FileMode = '100644') {
    return this.applier.apply([this.change(path, text, mode)])[0]!
  }

  /** Every file and link of the workspace and its bytes; folders that are empty end with a slash. */
  tree(folder = ''): Record<string, string> {
    const all: Record<string, string> = {}
    const entries = readdirSync(this.path(folder), { withFileTypes: true })
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (path === '.farhand') continue
      if (entry.isSymbolicLink()) all[path] = `-> ${readlinkSync(this.path(path))}`
      else if (entry.isFile()) all[path] = readFileSync(this.path(path), 'utf8')
      else if (entry.isDirectory()) Object.assign(all, this.tree(path))
      else all[path] = '?'
    }
    return entries.length === 0 && folder !== '' ? { [`${folder}/`]: '' } : all
  }

  /** Lets everything wait out its grace time, and gives what was rescued. */
  letTimePass(): string[] {
    this.applier.settled()
    for (let sweeps = 0; this.applier.sweep(Date.now() + 3_600_000) !== null; sweeps++) {
      if (sweeps > 100_000) throw new Error('it never ends')
    }
    return this.applier.rescued().map(({ content }) => Buffer.from(content ?? []).toString())
  }

  /** What is left of our own work in progress. */
  incoming(): string[] {
    const folder = this.path('.farhand/incoming')
    if (!lstatSync(folder, { throwIfNoEntry: false })) return []
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    return names.filter((entry) => entry.isFile() && entry.name !== 'intents').map((entry) => entry.name)
  }

  remove(): void {
    rmSync(dirname(this.root), { recursive: true, force: true })
  }
}
