import { join } from 'node:path'
import { secretName } from '@farhand/device/secret-scan/secret-name'
import { type SecretSign, secretsIn } from '@farhand/device/secret-scan/secrets-in'
import type { Survey } from '@farhand/sync/disk/survey'
import { readSmallFile } from '@farhand/sync/read-small-file'
import { worthReading } from './worth-reading.ts'

/** A file that looks as if it held a secret, and whether git has it: then it may have left this machine before. */
export type Suspicious = { path: string; signs: SecretSign[]; isTracked: boolean }

// Of more than these only settings are read, so that nobody waits for it.
const manyFiles = 3_000
// And no more than so much of them all: from then on names alone have to do.
const mostBytes = 8 * 1024 * 1024

/** The files of a folder that look as if they held secrets; reads those in which people keep them, and no large ones. */
export function suspiciousFiles(root: string, { files, isTracked }: Survey): Suspicious[] {
  const found: Suspicious[] = []
  let bytes = 0
  // Where there is too much to read it all, what is read is where secrets are most often.
  const isSettings = ({ path, size }: Survey['files'][number]) => worthReading(path, size, true)
  const inOrder = [...files.filter(isSettings), ...files.filter((file) => !isSettings(file))]
  for (const { path, size } of inOrder) {
    const isOfGit = isTracked(path)
    const isRead = bytes < mostBytes && worthReading(path, size, isOfGit || files.length > manyFiles)
    if (isRead) bytes += size
    if (!isRead && !secretName(path)) continue
    const text = isRead ? (readSmallFile(join(root, path), size + 4096) ?? '') : ''
    const signs = secretsIn(path, text)
    if (signs.length > 0) found.push({ path, signs, isTracked: isOfGit })
  }
  return found
}
