import { lstatSync } from 'node:fs'
import { sameEntry } from '@farhand/protocol/files/path-history'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Looked, SkipReason } from '../../engine/disk-folder.ts'
import { Reading, readLink, smallBytes } from '../content/reading.ts'
import { isRacy, stampOf } from '../index/file-stamp.ts'
import type { KnownFiles } from '../index/known-files.ts'
import type { Exclusions } from '../rules/exclusions.ts'
import { isOwnPath } from '../workspace/never-synced.ts'
import { parentOf } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'

const tries = 5

/** What a path is at this moment, in steps. Notes nothing but that what was known is still so. Never throws. */
export function* lookNow(
  path: string,
  root: RootFolder,
  {
    known,
    maxFileBytes,
    exclusions,
    isBlind,
  }: { known: KnownFiles; maxFileBytes: number; exclusions: Exclusions; isBlind: boolean },
  withContent: boolean,
): Generator<void, Looked> {
  const skip = (why: SkipReason, size?: number): Looked =>
    size === undefined ? { path, why } : { path, why, size }
  const at = path as WorkspacePath
  const absent: Looked = { path: at, entry: null, size: 0 }
  // While the root folder is missing, no file in it may be reported as gone.
  if (!root.isReal('')) return skip('unreadable')
  if (pathProblem(path) || isOwnPath(path)) return skip('bad-name')
  if (exclusions.hubData.hold(path)) return skip('hub-data')
  try {
    for (let left = tries; ; left--) {
      if (!root.isReal(parentOf(path))) return root.isThere(path) ? skip('unreadable') : absent
      const nowMs = Date.now()
      const file = root.place(path)
      const stats = lstatSync(file, { throwIfNoEntry: false })
      if (!stats || stats.isDirectory()) return absent
      const why = exclusions.why(path)
      if (why) return skip(why)
      if (stats.isSymbolicLink()) {
        const { entry, size, content } = readLink(file)
        return { path: at, entry, size, content: new Uint8Array(content) }
      }
      if (!stats.isFile()) return skip('special')
      if (stats.size > maxFileBytes) return skip('too-large', stats.size)
      const before = known.stamp(at) === stampOf(stats) ? known.get(at) : undefined
      if (before && !(withContent && stats.size <= smallBytes))
        return { path: at, entry: before.entry, size: before.size }
      const reading = new Reading(file, stats, known.get(at)?.entry.hash)
      try {
        let read = reading.step()
        // If a watch reports a write meanwhile, the known stamp is cleared, and must not be set again here.
        const isAtOnce = read !== null
        while (!read) {
          yield
          read = reading.step()
        }
        if (!read.unchanged && left > 0) continue
        const entry = { mode: stats.mode & 0o100 ? '100755' : '100644', hash: read.hash } as const
        const isStill =
          isAtOnce &&
          read.unchanged &&
          !isRacy(stats, nowMs, isBlind) &&
          sameEntry(known.get(at)?.entry ?? null, entry)
        if (isStill) known.set(at, { entry, stamp: stampOf(stats), size: read.size })
        const content = read.content && new Uint8Array(read.content)
        return { path: at, entry, size: read.size, ...(content ? { content } : {}) }
      } finally {
        reading.close()
      }
    }
  } catch (error) {
    // Gone between two looks at it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? absent : skip('unreadable')
  }
}
