import type { FileEntry } from '../methods/files.ts'
import { limits } from '../wire/limits.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { type FileInEvent, fileInEvent } from './file-in-event.ts'
import type { FileVersions } from './file-versions.ts'

/** A path that is to be `before` again, and is `after` now. */
type Turned = { path: WorkspacePath; before: FileEntry | null | undefined; after: FileEntry | null }

/** An event holds this many bytes of files at most: more of them travel in several. */
const mostBytes = limits.eventBytes / 2

/** What to say of the files so that each is again what it was, in portions for one event each. In this order all of it counts. */
export const filesToPutBack = (back: readonly Turned[], versions: FileVersions) =>
  portions(nothingMissing(back).map((turned) => fileFor(turned, versions)))

/** What comes back goes first, so that half of it is no loss; but where a file has to make room, that is deleted before. */
function nothingMissing(back: readonly Turned[]): Turned[] {
  const deletions = back.filter(({ before }) => !before)
  const deleted = new Set<string>(deletions.map(({ path }) => path))
  const above = new Set<string>(deletions.flatMap(({ path }) => foldersOf(path)))
  const needsRoom = ({ path }: Turned) =>
    above.has(path) || foldersOf(path).some((folder) => deleted.has(folder))
  const puts = back.filter(({ before }) => before)
  return [...puts.filter((turned) => !needsRoom(turned)), ...deletions, ...puts.filter(needsRoom)]
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'))
}

function fileFor({ path, before, after }: Turned, versions: FileVersions): FileInEvent {
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
