import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { nearestNames } from '@farhand/kit/nearest-names'
import { FileVersions, type Version } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

export type LogReadOptions = {
  signal?: AbortSignal | undefined
  /** How long to wait for the first answer of the hub. After that there is no such limit. */
  patienceMs?: number
  /** Told of every event on the way. */
  onEvent?: (event: SeenEvent) => void
  /** Makes a path safe to show in an error: other people chose it, and it may hold any character. */
  inWords?: PathWords | undefined
}

type PathWords = (path: string) => string

/** The version that the user asked for does not exist; `message` says what exists instead. */
export class NoSuchVersion extends Error {
  readonly kind: 'path' | 'folder' | 'version' | 'expired'

  constructor(kind: NoSuchVersion['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NoSuchVersion'
    this.kind = kind
  }
}

/** Every version of every path of a run, as of now. */
export async function versionsOf(
  hub: Hub,
  at: RunAddress,
  options: LogReadOptions = {},
): Promise<FileVersions> {
  const versions = new FileVersions()
  for await (const event of readLog(hub, at, options)) {
    versions.take(event)
    options.onEvent?.(event)
  }
  return versions
}

/** Every version of a path that the log knows, newest first; throws NoSuchVersion if there is none. */
export async function history(
  hub: Hub,
  at: RunAddress,
  path: string,
  options?: LogReadOptions,
): Promise<Version[]> {
  return knownVersions(await versionsOf(hub, at, options), path, options?.inWords)
}

/** The versions of a path; if it has none, the error names paths that the user may have meant. */
export function knownVersions(versions: FileVersions, path: string, inWords: PathWords = asIs): Version[] {
  const found = versions.of(path)
  if (found.length > 0) return withSizes(found)
  const below = [...versions.paths()].filter((name) => name.startsWith(`${path.replace(/\/$/, '')}/`))
  if (below.length > 0) throw new NoSuchVersion('folder', folderInWords(inWords(path), below.map(inWords)))
  const near = nearestNames(path, versions.paths())
  const isEmpty = [...versions.paths()].length === 0
  const hint =
    near.length > 0
      ? ` Did you mean ${near.map(inWords).join(', ')}?`
      : isEmpty
        ? ' The run has no files yet.'
        : ''
  throw new NoSuchVersion('path', `File not found in this run: ${inWords(path)}.${hint}`)
}

export const asIs: PathWords = (path) => path

/** The message for a user who asks for the history of a folder. */
export function folderInWords(folder: string, files: readonly string[]): string {
  const some = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ', ...' : ''}`
  return `${folder} is a folder; only files have a history${files.length > 0 ? `: ${some}` : ''}.`
}

/** Not every event has the size of its file: it is taken from other versions with the same content. */
function withSizes(versions: readonly Version[]): Version[] {
  const sizes = new Map(
    versions.flatMap(({ entry, size }) => (entry && size !== null ? [[entry.hash, size]] : [])),
  )
  return versions.map((version) => ({
    ...version,
    size: version.size ?? (version.entry ? (sizes.get(version.entry.hash) ?? null) : null),
  }))
}
