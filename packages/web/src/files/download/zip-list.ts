import type { FileEntry } from '@farhand/protocol/methods/files'

export type ZipFile = { path: string; entry: FileEntry; size: number | null }

/** The browser holds the whole zip in memory. */
export const mostZipBytes = 200 * 1024 * 1024
export const mostZipFiles = 20_000

/** Which files go into a zip; the smallest ones if not all fit. Files of unknown size count as empty. */
export function zipList(
  files: readonly ZipFile[],
  { mostBytes = mostZipBytes, mostFiles = mostZipFiles } = {},
): { taken: ZipFile[]; leftOut: ZipFile[] } {
  const bySize = [...files].sort((a, b) => (a.size ?? 0) - (b.size ?? 0))
  const taken = new Set<ZipFile>()
  let bytes = 0
  for (const file of bySize) {
    bytes += file.size ?? 0
    if (bytes > mostBytes || taken.size === mostFiles) break
    taken.add(file)
  }
  return { taken: files.filter((file) => taken.has(file)), leftOut: files.filter((file) => !taken.has(file)) }
}

/** The Unix file mode, in the upper half of the zip attributes. */
export const zipAttributes = ({ mode }: FileEntry): number =>
  (Number.parseInt(mode === '120000' ? '120777' : mode, 8) << 16) >>> 0
