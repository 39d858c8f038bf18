import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { type CheckpointReporter, inWords } from './checkpoint-reporter.ts'
import { type CloneFrom, clone } from './git/clone.ts'
import { BundleImportError } from './import-bundles.ts'
import type { LoggedFiles } from './logged-files.ts'
import {
  beginRestoring,
  endRestoring,
  isUntouched,
  type Restored,
  type RestoreParts,
  rememberFilled,
  restore,
} from './restore.ts'

export type RecoveryParts = RestoreParts & {
  log: LoggedFiles
  reporter: CheckpointReporter
  /** The agent's environment, with its network access for a clone. */
  env: Readonly<Record<string, string>>
  clone: CloneFrom | null
}

/** How a new workspace was filled. */
export type Recovered =
  | (Restored & { is: 'restored'; upTo: number; end: () => void })
  | { is: 'cloned' }
  | { is: 'nothing' }

/** After this many failures, the bundles are hardly the problem. The last try is for the base. */
const mostTries = 5

/**
 * Fills a new workspace: from the newest usable checkpoint, else from the base, else by cloning. A failed restore is
 * reported and left to the sync engine; a failed clone is thrown.
 */
export async function recover(parts: RecoveryParts): Promise<Recovered> {
  const { root, memory, log, reporter, repository, signal } = parts
  if (!isUntouched(root, memory)) return { is: 'nothing' }
  for (let tries = 1; tries <= mostTries; tries++) {
    const point = tries < mostTries ? log.bundles.newest : log.bundles.base
    if (!point) break
    const phaseEnds = reporter.phase('restoring')
    const since = performance.now()
    try {
      const restored = await restore(parts, log.bundles.leadingTo(point)!, log)
      const end = () => {
        phaseEnds()
        tellRestored(parts, restored, performance.now() - since)
      }
      return { is: 'restored', ...restored, upTo: log.witness.id, end }
    } catch (error) {
      signal.throwIfAborted()
      phaseEnds(error)
      reporter.warn(`The ${point.kind} ${point.sha} could not be restored: ${inWords(error)}`)
      log.bundles.giveUp(error instanceof BundleImportError ? error.point : point)
      await repository.beginAnew()
    }
  }
  if (log.bundles.hasBegun || !parts.clone) return { is: 'nothing' }
  return await cloned(parts, parts.clone)
}

async function cloned(
  { root, memory, env, log, reporter, signal }: RecoveryParts,
  from: CloneFrom,
): Promise<Recovered> {
  const phaseEnds = reporter.phase('restoring')
  beginRestoring(memory)
  try {
    await clone(root, from, env, signal)
    // An earlier sandbox may have died when a part of the clone was in the log.
    if (log.tree.size > 0) await rememberFilled(root, memory, log)
  } catch (error) {
    phaseEnds(error)
    reporter.emit('error', { message: `The repository could not be cloned: ${inWords(error)}` })
    throw error
  }
  endRestoring(memory)
  phaseEnds()
  return { is: 'cloned' }
}

const mostNamed = 1_000

function tellRestored({ log, reporter }: RecoveryParts, { from, missing }: Restored, ms: number): void {
  const some = missing.slice(0, 10).join(', ')
  if (missing.length > 0)
    reporter.warn(
      `The hub has lost the content of ${missing.length} files: they are restored from an earlier checkpoint, or missing (${some}).`,
    )
  reporter.emit('session_restored', {
    fromCheckpoint: from.sha,
    files: log.tree.size,
    missing: missing.slice(0, mostNamed),
    ms: Math.round(ms),
  })
}

/** The files that changed in the log after event `upTo`: what the next checkpoint has to bring. */
export function changesSince(log: LoggedFiles, upTo: number): Map<WorkspacePath, FileEntry | null> {
  const changes = new Map<WorkspacePath, FileEntry | null>()
  for (const { path, entry, eventId } of log.tree.rows()) if (eventId > upTo) changes.set(path, entry)
  return changes
}
