import { lstatSync } from 'node:fs'
import path from 'node:path'
import { readWithheld, type WithheldWhy } from '@farhand/sync/disk/rules/withheld-files'
import { survey } from '@farhand/sync/disk/scan/survey'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import { type Suspicious, suspiciousFiles } from './suspicious-files.ts'

/** What a linked folder holds back until the user allows it, and why. `place` is the folder's state. */
export const heldBackPaths = (root: string, place: string): Map<string, WithheldWhy> =>
  new Map([...readWithheld(place)].filter(([one]) => isThere(root, one)))

/** Which of the named paths are sent: of a folder only those that do not look like secrets, which are in `keeps`. */
export function choosePathsToAllow(
  root: string,
  { exactly, inFolders }: { exactly: readonly string[]; inFolders: readonly string[] },
  sendsSecrets: boolean,
): { allowed: string[]; keeps: string[]; suspicious: Suspicious[] } {
  const suspicious = sendsSecrets ? [] : suspiciousAmong(root, inFolders)
  const keeps = new Set(suspicious.map(({ path: file }) => wholeFor(file, inFolders)))
  return {
    allowed: [...exactly, ...inFolders.filter((one) => !keeps.has(one))],
    keeps: [...keeps],
    suspicious,
  }
}

/** Has held-back paths sent to the run. */
export function allowPaths(place: string, paths: readonly string[]): void {
  const before = readFirstLook(place)
  // A running link reads this within a second.
  saveFirstLook(place, { ...before, allowed: [...new Set([...before.allowed, ...paths])].sort() })
}

/** The held-back path of a file: the file itself, or its folder if that is held back as a whole. */
const wholeFor = (file: string, held: readonly string[]) =>
  held.find((one) => one === file || (one.endsWith('/') && file.startsWith(one))) ?? file

/** The held-back files that look like secrets. */
export function suspiciousAmong(root: string, held: readonly string[]): Suspicious[] {
  const single = held.filter((one) => !one.endsWith('/'))
  const files = single.map((one) => ({ path: one, size: sizeOf(path.join(root, one)) }))
  const whole = held.filter((one) => one.endsWith('/'))
  const inside =
    whole.length === 0
      ? []
      : survey(root, { maxFileBytes: Number.MAX_SAFE_INTEGER }).files.filter(({ path: file }) =>
          whole.some((folder) => file.startsWith(folder)),
        )
  const found = { files: [...files, ...inside], left: [], ignored: 0, isTracked: () => false }
  return suspiciousFiles(root, found).suspicious
}

const statsOf = (place: string) => lstatSync(place, { throwIfNoEntry: false })
const sizeOf = (place: string) => statsOf(place)?.size ?? 0
const isThere = (root: string, one: string) => statsOf(path.join(root, one)) !== undefined
