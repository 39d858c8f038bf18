import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { AgreedFile, Change, Staged } from '../../engine/disk-folder.ts'
import { entryAt } from '../index/file-entry.ts'
import type { IgnoreRules } from '../rules/ignore-rules.ts'
import { newlyIncluded } from '../rules/newly-included.ts'
import type { WithheldFiles } from '../rules/withheld-files.ts'
import type { Scan } from '../scan/scan.ts'
import type { RootFolder } from '../workspace/root-folder.ts'

type HoldBackParts = {
  root: RootFolder
  rules: IgnoreRules
  withheld: WithheldFiles
  scan: Scan
  /** The user's ignore file for all of their repositories. */
  excludes: string | undefined
  recheck: (path: string, force: boolean) => void
}

/** Decides which files are held back until the user allows them, and which need no consent after all. */
export class HoldBack {
  readonly #parts: HoldBackParts

  constructor(parts: HoldBackParts) {
    this.#parts = parts
    parts.withheld.onConsent((released) => {
      for (const path of released) parts.recheck(path.replace(/\/$/, ''), !path.endsWith('/'))
    })
  }

  /**
   * These changes are about to be applied. What a rule file among them would include, and was left out until now, waits for
   * the user's consent. To be called before any of them is done; throws if that cannot be saved.
   */
  beforeApply(changes: readonly Change[], stagedText: (staged: Staged) => string | null): void {
    const { root, rules, withheld, excludes } = this.#parts
    if (!withheld.isUsed) return
    const placeOf = (folder: string) => root.place(folder)
    // One that lies in the folder is a file that the run may change like any other.
    const own = excludes?.startsWith(`${root.path}/`) ? excludes.slice(root.path.length + 1) : null
    const found = newlyIncluded({ placeOf, stagedText }, rules, changes, own)
    if (found.length > 0) withheld.add(found, 'newly-included')
  }

  /** Holds back files that look like secrets, and returns which of these it does: not what git tracks or the user has allowed. */
  holdSecrets(paths: readonly WorkspacePath[]): WorkspacePath[] {
    const { rules, withheld, scan } = this.#parts
    withheld.add(
      paths.filter((path) => !rules.tracks(path, false)),
      'looks-secret',
    )
    const held = paths.filter((path) => scan.exclusions.whyExcluded(path, false) === 'looks-secret')
    scan.withhold(held, 'looks-secret')
    return held
  }

  /**
   * These were in the run before a rule left them out for a while. Those that are as they were then need no consent; what was
   * written since does, as its user may have left the file out on purpose. Returns which these are.
   */
  readmit(agreed: readonly AgreedFile[]): WorkspacePath[] {
    const { root, withheld, recheck } = this.#parts
    const isAsItWas = ({ path, entry }: AgreedFile) => sameEntry(entryAt(root.place(path)), entry)
    const same = agreed.filter(isAsItWas).map(({ path }) => path)
    withheld.forget(same)
    for (const path of same) recheck(path, true)
    return agreed.flatMap(({ path }) => (same.includes(path) ? [] : path))
  }
}
