import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change } from '../engine/disk-folder.ts'

/** Many changes on their way to the disk's thread: a handful of values, and one buffer that is handed over. */
export type PackedChanges = {
  /** Joined by NUL: path, from, to and the name of what is staged, for each. */
  texts: string
  sizes: Float64Array<ArrayBuffer>
  /** Where in `content` the bytes begin, -1 for none; and where they end. */
  at: Float64Array<ArrayBuffer>
  end: Float64Array<ArrayBuffer>
  content: ArrayBuffer
}

export function packChanges(changes: readonly Change[]): PackedChanges {
  const bytes = changes.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
  const content = new Uint8Array(bytes)
  const packed: PackedChanges = {
    texts: '',
    sizes: new Float64Array(changes.length),
    at: new Float64Array(changes.length),
    end: new Float64Array(changes.length),
    content: content.buffer,
  }
  const texts: string[] = []
  let used = 0
  for (const [row, change] of changes.entries()) {
    texts.push(change.path, textOf(change.from), textOf(change.to), change.staged?.name ?? '')
    packed.sizes[row] = change.size
    packed.at[row] = change.content ? used : -1
    if (change.content) content.set(change.content, used)
    used += change.content?.length ?? 0
    packed.end[row] = used
  }
  packed.texts = texts.join('\0')
  return packed
}

export function unpackChanges({ texts, sizes, at, end, content }: PackedChanges): Change[] {
  const parts = texts.split('\0')
  return Array.from(sizes, (size, row) => {
    const [path, from, to, staged] = parts.slice(row * 4, row * 4 + 4)
    const change: Change = { path: path as WorkspacePath, from: entryOf(from!), to: entryOf(to!), size }
    if (at[row]! >= 0) change.content = new Uint8Array(content, at[row]!, end[row]! - at[row]!)
    if (staged) change.staged = { name: staged }
    return change
  })
}

const textOf = (entry: FileEntry | null) => (entry ? entry.mode + entry.hash : '')
const entryOf = (text: string) =>
  text === '' ? null : ({ mode: text.slice(0, 6), hash: text.slice(6) } as FileEntry)
