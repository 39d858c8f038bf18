import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** How long HEAD may take to follow the index. */
const headFollowsMs = 250

/**
 * The position of the folder's own git: a text that changes whenever git may have put other files there, because HEAD was
 * moved by anything but a commit, or the stash changed. Null without git. And whether git is at work right now. Reads a
 * few small files, writes nothing (S14).
 */
export function gitPosition(root: string, nowMs = Date.now()): { position: string | null; busy: boolean } {
  const folder = gitFolder(root)
  // Before anything else is read: what git finishes meanwhile would leave no lock, and an old position.
  const busy = folder !== null && (isLocked(folder) || isIndexFresh(folder, nowMs))
  const head = folder && read(join(folder, 'HEAD'))
  if (!folder || head === null) return { position: null, busy: false }
  const shared = sharedFolder(folder)
  const told = [
    lastMove(join(folder, 'logs', 'HEAD')) ?? whereHeadIs(head, folder, shared),
    commitOf('refs/stash', folder, shared),
    // Git's newer way to keep refs: every change of any of them makes another list of tables.
    read(join(shared, 'reftable', 'tables.list')) ?? '',
  ]
  const position = createHash('sha256').update(told.join('\n')).digest('base64url').slice(0, 22)
  return { position, busy }
}

/** Without a reflog a commit cannot be told from a checkout. */
function whereHeadIs(head: string, folder: string, shared: string): string {
  const named = /^ref: (.+?)\s*$/.exec(head)?.[1]
  return named ? `${head} ${commitOf(named, folder, shared)}` : head
}

const movesBefore = new Map<string, { version: string; move: string }>()

/** The last thing that happened to HEAD and was no commit; null if git keeps no reflog. */
function lastMove(reflog: string): string | null {
  const stats = statSync(reflog, { throwIfNoEntry: false })
  if (!stats) return null
  const version = `${stats.ino} ${stats.size} ${stats.mtimeMs}`
  const before = movesBefore.get(reflog)
  if (before?.version === version) return before.move
  const lines = (read(reflog) ?? '').trimEnd().split('\n')
  const move = lines.findLast((line) => !/\tcommit\b/.test(line)) ?? 'only commits'
  movesBefore.set(reflog, { version, move })
  return move
}

/** The folder itself, or what the file in its place points to (a worktree, a submodule). */
export function gitFolder(root: string): string | null {
  const here = join(root, '.git')
  const stats = statSync(here, { throwIfNoEntry: false })
  if (!stats) return null
  if (stats.isDirectory()) return here
  const named = /^gitdir: (.+?)\s*$/.exec(read(here) ?? '')?.[1]
  return named ? resolve(root, named) : null
}

/** Worktrees have a HEAD of their own and share their refs. */
export function sharedFolder(folder: string): string {
  const named = read(join(folder, 'commondir'))?.trim()
  return named ? resolve(folder, named) : folder
}

function commitOf(ref: string, folder: string, shared: string): string {
  const loose = read(join(folder, ref)) ?? (folder === shared ? null : read(join(shared, ref)))
  return loose?.trim() ?? packedCommitOf(ref, join(shared, 'packed-refs'))
}

// A repository may have 100,000 packed refs: they are read again only when git has written them again.
const packedBefore = new Map<string, { version: string; found: Map<string, string> }>()

function packedCommitOf(ref: string, file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return 'unborn'
  const version = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
  let before = packedBefore.get(file)
  if (before?.version !== version) {
    before = { version, found: new Map() }
    packedBefore.set(file, before)
  }
  let commit = before.found.get(ref)
  if (commit === undefined) {
    const text = `\n${read(file) ?? ''}`
    const end = text.indexOf(` ${ref}\n`)
    commit = end === -1 ? 'unborn' : text.slice(text.lastIndexOf('\n', end) + 1, end)
    before.found.set(ref, commit)
  }
  return commit
}

const isLocked = (folder: string) =>
  existsSync(join(folder, 'index.lock')) || existsSync(join(folder, 'HEAD.lock'))

/** A checkout writes the files, then the index, and moves HEAD last, with no lock in between. */
function isIndexFresh(folder: string, nowMs: number): boolean {
  const stats = statSync(join(folder, 'index'), { throwIfNoEntry: false })
  return stats !== undefined && Math.abs(nowMs - stats.mtimeMs) < headFollowsMs
}

function read(file: string): string | null {
  // Asked first: an error for a file that is usually not there costs more than everything else here.
  if (!existsSync(file)) return null
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Git removes its files whenever it likes; a folder in a ref's place is no ref.
    return null
  }
}
