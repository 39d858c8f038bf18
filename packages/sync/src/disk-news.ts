import { troubleWithPath } from '@farhand/protocol/trouble-with-path'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { DiskFolder, DiskReport } from './disk-folder.ts'
import type { Doubts } from './doubts.ts'
import type { Ledger } from './ledger.ts'
import type { Sending } from './sending.ts'
import type { SyncNote } from './sync-notes.ts'
import { SyncStopped } from './sync-stopped.ts'

type Parts = {
  disk: DiskFolder
  ledger: Ledger
  doubts: Doubts
  sending: Sending
  on: (note: SyncNote) => void
  /** How large files may be, as far as the log has said. */
  limit: () => number | null
}

/** Takes in what the disk reports, and knows whether all of it has been seen. */
export class DiskNews {
  readonly #parts: Parts
  /** What the first scan finds, until what is missing has been looked for. */
  #found: Set<string> | null = new Set()
  #isScanned = false
  #blind: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether everything that is there has been seen, and everything that is not has been looked for. */
  get isComplete(): boolean {
    return this.#found === null
  }

  /** Whether it is known by now what the disk holds here. */
  hasFound(path: WorkspacePath): boolean {
    return !this.#found || this.#found.has(path)
  }

  /** Takes in a report. Throws SyncStopped if the folder itself has gone. */
  async hear(report: DiskReport): Promise<void> {
    const { ledger, doubts, sending, on } = this.#parts
    if (report.root) throw SyncStopped.root(report.root)
    if (report.blind !== undefined && report.blind !== this.#blind) on({ is: 'blind', why: report.blind })
    this.#blind = report.blind
    for (const seen of report.seen) {
      this.#found?.add(seen.path)
      ledger.see(seen)
    }
    for (const skip of report.skipped) this.#skip(skip)
    sending.rescue(report.rescued ?? [])
    if (!this.#isScanned) on({ is: 'scanning', ...report.found, done: report.scanned })
    this.#isScanned ||= report.scanned
    doubts.hear(report.position)
    if (this.#found && this.#isScanned) await this.#findMissing(this.#found)
  }

  #skip(skip: DiskReport['skipped'][number]): void {
    const { ledger, on, limit } = this.#parts
    const path = troubleWithPath(skip.path) === null ? (skip.path as WorkspacePath) : null
    this.#found?.add(skip.path)
    if (path !== null) ledger.leave(path, skip.why)
    // The disk may have been looked at before the log had said how large files may be: it looks again.
    if (skip.why === 'too-large' && skip.size !== undefined && skip.size <= (limit() ?? -1)) return
    on({ is: 'skipped', skip, inRun: path !== null && ledger.trees.log(path) !== null })
  }

  /** What was agreed and not found by the first scan may be deleted, or only out of sight (S13). */
  async #findMissing(found: ReadonlySet<string>): Promise<void> {
    const { disk, ledger } = this.#parts
    const missing = [...ledger.trees.agreedFiles()].filter((path) => !found.has(path))
    const looked = missing.length > 0 ? await disk.look(missing) : []
    for (const one of looked) {
      if ('why' in one) this.#skip(one)
      else ledger.see(one)
    }
    this.#found = null
  }
}
