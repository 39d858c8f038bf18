import type { FileEntry } from '@farhand/protocol/methods/files'
import type { HashCache } from '../index/hash-cache.ts'
import type { KnownFiles } from '../index/known-files.ts'
import type { PendingReport } from '../report/pending-report.ts'
import type { IgnoreRules } from '../rules/ignore-rules.ts'
import type { WithheldFiles } from '../rules/withheld-files.ts'
import type { RootFolder } from '../workspace/root-folder.ts'
import type { SystemWatches } from './system-watches.ts'

/** What a scan works with. */
export type ScanParts = {
  root: RootFolder
  watch: SystemWatches
  rules: IgnoreRules
  withheld: WithheldFiles
  pending: PendingReport
  known: KnownFiles
  before: HashCache | null
  maxFileBytes: number
  /** How long it is not reported that a file is empty now. */
  emptiedMs?: number | undefined
}
/** A folder whose names are looked at, and how far that is. */
export type Listing = { folder: string; names: readonly string[]; at: number }
/** What was read of a file. */
export type FileRead = { entry: FileEntry; size: number; content: Uint8Array | null; unchanged: boolean }

/** What the first scan has found so far. */
export class Found {
  files = 0
  bytes = 0

  add(size: number): void {
    this.files++
    this.bytes += size
  }
}
