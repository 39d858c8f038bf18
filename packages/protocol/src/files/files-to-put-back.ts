import type { FileEntry } from '../methods/files.ts'
import { limits } from '../wire/limits.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { type FileInEvent, fileInEvent } from './file-in-event.ts'
import type { FileVersions } from './file-versions.ts'

/** A path that has to become `before` again, and is `after` now. */
type Reverted = { path: WorkspacePath; before: FileEntry | null | undefined; after: FileEntry | null }

/** How many bytes of files one event holds; more are sent in several events. */
const mostBytes = limits.eventBytes / 2

/** The changes that make each file again what it was, in portions for one event each. Sent in this order, all of them count. */
export const filesToPutBack = (back: readonly Reverted[], versions: FileVersions) =>
  portions(inSafeOrder(back).map((reverted) => fileFor(reverted, versions)))

/** Restored files first, so that nothing is lost if only half is sent; but a file in the way of another is deleted before that one. */
function inSafeOrder(back: readonly Reverted[]): Reverted[] {
  const deletions = back.filter(({ before }) => !before)
  const deleted = new Set<string>(deletions.map(({ path }) => path))
  const above = new Set<string>(deletions.flatMap(({ path }) => foldersOf(path)))
  const needsRoom = ({ path }: Reverted) =>
    above.has(path) || foldersOf(path).some((folder) => deleted.has(folder))
  const puts = back.filter(({ before }) => before)
  return [...puts.filter((reverted) => !needsRoom(reverted)), ...deletions, ...puts.filter(needsRoom)]
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'))
}

function fileFor({ path, before, after }: Reverted, versions: FileVersions): FileInEvent {
  const entry = before ?? null
  const known = entry && versions.of(path).find((version) => version.entry?.hash === entry.hash)
  return fileInEvent({ path, entry, was: after, size: known ? known.size : null })
}

function* portions(files: readonly FileInEvent[]): Generator<FileInEvent[]> {
  let portion: FileInEvent[] = []
  let bytes = 0
  for (const file of files) {
    const size = JSON.stringify(file).length * 3
    if (portion.length === 1000 || (portion.length > 0 && bytes + size > mostBytes)) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(file)
    bytes += size
  }
  if (portion.length > 0) yield portion
}
