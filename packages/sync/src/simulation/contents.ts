import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** A file of a simulated disk. Its content is a short word, and its hash is the same word in hex. */
export type File = { word: string; mode: FileMode }

const largeBytes = 2_000_000

export const hashOf = (word: string): BlobHash => {
  let hex = ''
  for (let at = 0; at < word.length; at += 1) hex += word.charCodeAt(at).toString(16).padStart(2, '0')
  return `sha256_${hex.padEnd(64, '0')}` as BlobHash
}

export const wordOf = (hash: string): string => {
  let word = ''
  for (let at = 7; at < hash.length; at += 2) {
    const code = Number.parseInt(hash.slice(at, at + 2), 16)
    if (code === 0) break
    word += String.fromCharCode(code)
  }
  return word
}

const utf8 = new TextEncoder()
const text = new TextDecoder()

export const bytesOf = (word: string): Uint8Array => utf8.encode(word)
export const wordIn = (bytes: Uint8Array): string => text.decode(bytes)

export const entryOf = (file: File | null | undefined): FileEntry | null =>
  file ? { mode: file.mode, hash: hashOf(file.word) } : null

/** Some are said to be large, so that they take the road of large ones. */
export const sizeOf = (word: string): number => (word.endsWith('L') ? largeBytes : word.length)

/** An entry as the story of a simulation shows it. */
export const entryInWords = (entry: FileEntry | null | undefined): string =>
  entry === null || entry === undefined
    ? 'nothing'
    : wordOf(entry.hash) + (entry.mode === '100755' ? '*' : '')

/** Whether two files cannot be there at once, because one would have to be a folder. */
export const inTheWay = (a: string, b: string): boolean => a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
