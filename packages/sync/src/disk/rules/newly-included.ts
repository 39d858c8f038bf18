import { type Dirent, readdirSync } from 'node:fs'
import type { Change, Staged } from '../../engine/disk-folder.ts'
import { isNeverSynced } from '../workspace/never-synced.ts'
import { inNfc, parentOf, pathIn } from '../workspace/path-parts.ts'
import { type IgnoreRules, ignoreFileAt, ignoreFiles, mostRuleBytes } from './ignore-rules.ts'
import { readRules } from './read-rules.ts'
import { mostOfAFolder } from './withheld-files.ts'

export type Places = {
  /** Where a folder of the workspace is on the disk. */
  placeOf: (folder: string) => string
  /** The text of a staged file, null if it is too large for rules: which way a content comes is the sender's choice. */
  stagedText?: (staged: Staged) => string | null
}

/**
 * The files on this disk that rules leave out now and would no longer leave out after these changes of rule files. A folder
 * with very many of them is named as a whole, with a slash at its end.
 */
export function newlyIncluded(
  { placeOf, stagedText = () => null }: Places,
  rules: IgnoreRules,
  changes: readonly Change[],
  /** The path of the user's ignore file for all repositories, if it lies in the folder. */
  excludes: string | null = null,
): string[] {
  const textOf = (change: Change) => textAfter(change, stagedText)
  const isRules = ({ path }: Change) => ignoreFileAt(path) !== null || path === excludes
  const ruleChanges = changes.filter((change) => isRules(change) && !isModeOnly(change))
  if (ruleChanges.length === 0) return []
  const then = rules.copy()
  const folders = new Set<string>()
  for (const change of ruleChanges) {
    if (change.path === excludes) {
      if (then.exclude(textOf(change) ?? '', 'user')) folders.add('')
      continue
    }
    const folder = parentOf(change.path)
    const file = ignoreFileAt(change.path)!
    const before = rules.textOf(folder, file)
    const after = textOf(change)
    if (!then.set(folder, file, after) || onlyExcludesMore(before ?? '', after ?? '')) continue
    folders.add(folder)
  }
  const found: string[] = []
  for (const folder of folders) {
    const isCovered = [...folders].some((other) => other !== folder && isBelow(folder, other))
    if (!isCovered) collect(placeOf(folder), folder, { rules, then }, found)
  }
  return found
}

type Both = { rules: IgnoreRules; then: IgnoreRules }

// The disk may spell a name in another way than its path does: the place goes by the disk's.
function collect(place: string, folder: string, both: Both, found: string[]): void {
  const entries = entriesIn(place)
  if (folder !== '' && both.rules.ignores(folder, true)) readUnread(place, folder, both.then, entries)
  for (const entry of entries) {
    if (isNeverSynced(entry.name)) continue
    const path = pathIn(folder, inNfc(entry.name))
    const isFolder = entry.isDirectory()
    if (both.then.ignores(path, isFolder)) continue
    if (!isFolder) {
      if (both.rules.ignores(path, false)) found.push(path)
      continue
    }
    const from = found.length
    collect(`${place}/${entry.name}`, path, both, found)
    if (found.length - from > mostOfAFolder) found.splice(from, found.length - from, `${path}/`)
  }
}

/** Rule files inside an ignored folder have not been read. They count as soon as it is included, and may include more. */
function readUnread(place: string, folder: string, then: IgnoreRules, entries: readonly Dirent[]): void {
  for (const file of ignoreFiles) {
    // What these changes write there counts instead.
    if (then.textOf(folder, file) !== null || !entries.some(({ name }) => name === file)) continue
    then.set(folder, file, readRules(`${place}/${file}`))
  }
}

function entriesIn(place: string): Dirent[] {
  try {
    return readdirSync(place, { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not readable: then nothing of it is sent either.
    return []
  }
}

/** The rules that this change leaves behind; null for none, as where a link or nothing is. */
function textAfter(
  { to, content, staged }: Change,
  stagedText: (staged: Staged) => string | null,
): string | null {
  if (!to || to.mode === '120000') return null
  if (staged) return stagedText(staged)
  if (!content || content.length > mostRuleBytes) return null
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8')
}

const isModeOnly = ({ from, to }: Change) =>
  from?.hash === to?.hash && from?.mode !== '120000' && to?.mode !== '120000'

/** Whether lines were only added, and none of them takes something back in: the most common change, which needs no walk. */
function onlyExcludesMore(before: string, after: string): boolean {
  const old = withoutMark(before).split('\n')
  let at = 0
  for (const line of withoutMark(after).split('\n')) {
    if (line === old[at]) at += 1
    else if (line.startsWith('!')) return false
  }
  return at >= old.length || (at === old.length - 1 && old[at] === '')
}

/** A byte order mark is no part of the first rule, here as for git. */
const withoutMark = (text: string) => text.replace(/^\uFEFF/, '')

const isBelow = (folder: string, other: string) => other === '' || folder.startsWith(`${other}/`)
