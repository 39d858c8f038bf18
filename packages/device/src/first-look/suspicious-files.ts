import { join } from 'node:path'
import type { Survey } from '@farhand/sync/disk/scan/survey'
import { readEnds, readSmallFile } from '@farhand/sync/state/read-small-file'
import { secretName } from '../secret-scan/secret-name.ts'
import { type SecretSign, secretsIn } from '../secret-scan/secrets-in.ts'
import { wholeBytes, worthReading } from './worth-reading.ts'

/** A file that looks like a secret, and whether git tracks it: then it may have left this machine before. */
export type Suspicious = {
  path: string
  signs: SecretSign[]
  isTracked: boolean
  /** Git's abbreviated object name, if only an older commit has this content. */
  blob?: string
}

/** `unread`: how many files should have been scanned but were not. */
export type SuspiciousFiles = { suspicious: Suspicious[]; unread: number }

// In a folder with more files only settings are read, so that the user does not wait.
const manyFiles = 3_000
// The total that is read; for the rest only names are checked.
const mostBytes = 16 * 1024 * 1024

/**
 * Finds files that look like secrets. It reads those in which people keep them; of large ones only the beginning and
 * the end.
 */
export function suspiciousFiles(root: string, { files, isTracked }: Survey): SuspiciousFiles {
  const found: Suspicious[] = []
  let unread = 0
  let bytes = 0
  // If not everything can be read, settings come first: secrets are most often there.
  const isSettings = ({ path, size }: Survey['files'][number]) => worthReading(path, shownOf(size), true)
  const orderedOutput = [...files.filter(isSettings), ...files.filter((file) => !isSettings(file))]
  for (const { path, size } of orderedOutput) {
    const isOfGit = isTracked(path)
    const isWorth = worthReading(path, shownOf(size), isOfGit || files.length > manyFiles)
    const isRead = isWorth && bytes < mostBytes
    if (isRead) bytes += shownOf(size)
    else if (isWorth) unread += 1
    if (!isRead && !secretName(path)) continue
    const signs = isRead ? signsOf(root, path, size) : secretsIn(path, '')
    if (signs.length > 0) found.push({ path, signs, isTracked: isOfGit })
  }
  return { suspicious: found, unread }
}

/** Whether a file that appeared later looks like a secret, by the same signs. */
export function looksSecret(
  root: string,
  { path, size, content }: { path: string; size: number; content?: Uint8Array },
): boolean {
  if (secretName(path)) return true
  if (!worthReading(path, shownOf(size), false)) return false
  if (!content || size > wholeBytes) return signsOf(root, path, size).length > 0
  return (
    secretsIn(path, Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8')).length >
    0
  )
}

function signsOf(root: string, path: string, size: number): SecretSign[] {
  const file = join(root, path)
  if (size <= wholeBytes) return secretsIn(path, readSmallFile(file, size + 4096) ?? '')
  // The line numbers near its end are unknown.
  return secretsIn(path, readEnds(file, wholeBytes / 2) ?? '').map(({ kind }) => ({ line: 0, kind }))
}

const shownOf = (size: number) => Math.min(size, wholeBytes)
