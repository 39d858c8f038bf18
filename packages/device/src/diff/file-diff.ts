import { type Hunk, unifiedDiff } from '@farhand/kit/unified-diff'
import type { FileEntry } from '@farhand/protocol/methods/files'

/** A path whose entry differs between two trees. */
export type Differing = { path: string; before: FileEntry | null; after: FileEntry | null }

/** The bytes of one side; `unread` if they are too many, or no longer stored. */
export type Content = Uint8Array | 'unread'

/** The difference of one file. Only text has hunks; `mode` is set if the file's mode changed. */
export type FileDiff = {
  path: string
  is: 'added' | 'deleted' | 'changed'
  mode: { before: string; after: string } | null
  content:
    | { is: 'text'; added: number; removed: number; hunks: Hunk[] }
    | { is: 'binary' | 'unread' | 'same' }
}

export function differing(
  before: ReadonlyMap<string, FileEntry>,
  after: ReadonlyMap<string, FileEntry>,
): Differing[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((path) => {
    const [one, other] = [before.get(path) ?? null, after.get(path) ?? null]
    return one?.hash === other?.hash && one?.mode === other?.mode ? [] : [{ path, before: one, after: other }]
  })
}

/** Compares the bytes of both sides; a side without a file has none. */
export function fileDiff({ path, before, after }: Differing, old: Content, now: Content): FileDiff {
  const is = !before ? 'added' : !after ? 'deleted' : 'changed'
  const isOther = before && after && before.mode !== after.mode
  const mode = isOther ? { before: before.mode, after: after.mode } : null
  if (before && after && before.hash === after.hash) return { path, is, mode, content: { is: 'same' } }
  if (old === 'unread' || now === 'unread') return { path, is, mode, content: { is: 'unread' } }
  const [oldText, newText] = [textOf(old), textOf(now)]
  if (oldText === null || newText === null) return { path, is, mode, content: { is: 'binary' } }
  const hunks = unifiedDiff(oldText, newText)
  const starting = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { path, is, mode, content: { is: 'text', added: starting('+'), removed: starting('-'), hunks } }
}

/** The text of a file; null if it is binary, by git's rule: a NUL among the first bytes. */
function textOf(bytes: Uint8Array): string | null {
  return bytes.subarray(0, 8000).includes(0) ? null : new TextDecoder().decode(bytes)
}
