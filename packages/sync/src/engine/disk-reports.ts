import { sameEntry } from '@farhand/protocol/files/path-history'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { AgreedFile, DiskFolder, DiskReport, Seen, Skip } from './disk-folder.ts'
import type { Ledger } from './ledger.ts'
import type { RiskyChanges } from './risky-changes.ts'
import type { Sending } from './sending.ts'
import type { SyncNote } from './sync-notes.ts'
import { SyncStopped } from './sync-stopped.ts'

type Parts = {
  disk: DiskFolder
  ledger: Ledger
  riskyChanges: RiskyChanges
  sending: Sending
  on: (note: SyncNote) => void
  /** Whether a file that folder and run have not had before looks as if it held a secret. */
  suspect: ((seen: Seen) => boolean) | null
  /** How large files may be, as far as the log has said. */
  limit: () => number | null
}

/** Handles the reports of the disk, and knows whether all of the disk has been seen. */
export class DiskReports {
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
  async take(report: DiskReport): Promise<void> {
    const { disk, ledger, riskyChanges, sending, on } = this.#parts
    if (report.root) throw SyncStopped.root(report.root)
    if (report.blind !== undefined && report.blind !== this.#blind) on({ is: 'blind', why: report.blind })
    this.#blind = report.blind
    const suspicious: Seen[] = []
    for (const seen of report.seen) {
      this.#found?.add(seen.path)
      if (this.#isSuspicious(seen)) suspicious.push(seen)
      else ledger.see(seen)
    }
    // Last, because it awaits: other events are handled meanwhile, and the other files must be up to date by then.
    if (suspicious.length > 0) await this.#withhold(suspicious)
    const agreed = report.skipped.flatMap((skip) => this.#agreedAt(skip) ?? [])
    const paths = new Set<string>(agreed.map(({ path }) => path))
    for (const skip of report.skipped) if (!paths.has(skip.path)) this.#skip(skip)
    if (agreed.length > 0) {
      const held = new Set<string>(await disk.readmit(agreed))
      for (const skip of report.skipped) if (held.has(skip.path)) this.#skip(skip)
    }
    sending.rescue(report.rescued ?? [])
    if (!this.#isScanned) on({ is: 'scanning', ...report.found, done: report.scanned })
    this.#isScanned ||= report.scanned
    riskyChanges.setHead(report.position)
    if (this.#found && this.#isScanned) await this.#findMissing(this.#found)
  }

  #isSuspicious(seen: Seen): boolean {
    const { suspect, ledger } = this.#parts
    if (!suspect || !seen.entry || ledger.disk.entry(seen.path) || ledger.trees.log(seen.path)) return false
    return suspect(seen)
  }

  async #withhold(suspicious: readonly Seen[]): Promise<void> {
    const { disk, ledger } = this.#parts
    const held = new Set(await disk.withhold(suspicious.map(({ path }) => path)))
    for (const seen of suspicious) {
      if (held.has(seen.path)) ledger.skip(seen.path, 'looks-secret')
      else ledger.see(seen)
    }
  }

  /** What folder and run had in common of a file that is held back now: a rule came and went that left it out. */
  #agreedAt({ path, why }: Skip): AgreedFile | null {
    const entry =
      why === 'newly-included' ? this.#parts.ledger.trees.agreed(path as WorkspacePath) : undefined
    return entry ? { path: path as WorkspacePath, entry } : null
  }

  #skip(skip: DiskReport['skipped'][number]): void {
    const { ledger, riskyChanges, on, limit } = this.#parts
    const path = pathProblem(skip.path) === null ? (skip.path as WorkspacePath) : null
    this.#found?.add(skip.path)
    if (path !== null && skip.grew && sameEntry(ledger.trees.log(path), ledger.trees.agreed(path))) {
      // The run must not keep half a file as if that were all of it. It has not vanished either, so the user is not asked.
      ledger.see({ path, entry: null, size: 0 })
      riskyChanges.allowDeletion(path)
      on({ is: 'skipped', skip })
      return
    }
    if (path !== null) ledger.skip(path, skip.why)
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
