import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import type { Contents } from '../history/contents.ts'
import { type ZipFile, zipAttributes } from './zip-list.ts'

const packed = /\.(png|jpe?g|gif|webp|avif|zip|gz|bz2|xz|zst|7z|mp[34]|mov|woff2?|pdf|jar)$/i

/**
 * A zip of these files, and the paths whose contents the hub no longer has. `onProgress` gets the number of files
 * done. The zip is built in memory: see `zipList` for its limit.
 */
export async function makeZip(
  files: readonly ZipFile[],
  contents: Contents,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
): Promise<{ parts: BlobPart[]; missing: string[] }> {
  const parts: BlobPart[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    parts.push(bytes as Uint8Array<ArrayBuffer>)
  })
  const byHash = new Map<string, ZipFile[]>()
  for (const file of files) byHash.set(file.entry.hash, [...(byHash.get(file.entry.hash) ?? []), file])
  const missing: string[] = []
  let done = 0
  for await (const { hash, bytes } of contents.fetch(
    files.map(({ entry }) => entry),
    signal,
  )) {
    for (const { path, entry } of byHash.get(hash) ?? []) {
      done += 1
      if (!bytes) {
        missing.push(path)
        continue
      }
      const one = packed.test(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 })
      // 3 is Unix: with any other value, unzip programs ignore the file mode.
      one.os = 3
      one.attrs = zipAttributes(entry)
      zip.add(one)
      one.push(bytes, true)
    }
    onProgress(done)
  }
  zip.end()
  return { parts, missing }
}
