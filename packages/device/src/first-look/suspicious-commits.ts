import { BaseFailed } from '../base/base-failed.ts'
import { olderContents } from '../base/older-contents.ts'
import { secretsIn } from '../secret-scan/secrets-in.ts'
import type { Suspicious, SuspiciousFiles } from './suspicious-files.ts'
import { mostCounted, worthReading } from './worth-reading.ts'

export type SuspiciousCommits = SuspiciousFiles & {
  /** The newest commits that were scanned. */
  tips: string[]
  unreadCommits: number
}

const none: SuspiciousCommits = { suspicious: [], unread: 0, unreadCommits: 0, tips: [] }

/** Suspicious contents in the commits of a folder that its files no longer have; each path once. */
export async function suspiciousCommits(
  folder: string,
  known: readonly string[],
  { env, stop: signal }: { env: Readonly<Record<string, string | undefined>>; stop: AbortSignal },
): Promise<SuspiciousCommits> {
  const found = new Map<string, Suspicious>()
  try {
    const looked = await olderContents(folder, {
      env,
      signal,
      known,
      mostCounted,
      isWorthReading: (path, bytes) => worthReading(path, bytes, true),
      take({ blob, path, text }) {
        const signs = found.has(path) ? [] : secretsIn(path, text)
        if (signs.length > 0) found.set(path, { path, signs, isTracked: true, blob: blob.slice(0, 10) })
      },
    })
    return looked ? { ...looked, suspicious: [...found.values()] } : none
  } catch (error) {
    // The code that sends the repository reports what is wrong with it.
    if (error instanceof BaseFailed) return none
    throw error
  }
}
