import { type DiskFile, readExactly } from './disk/disk.ts'
import { skipLines } from './log-chunk.ts'
import { idOfLine } from './stored-line.ts'

/** A known position: the line `id` begins at byte `at`. */
export type Mark = { id: number; at: number }

const blockBytes = 32 * 1024
/** The id of a line is read from its first bytes. */
const idBytes = 32

/**
 * Finds where the line of `id` begins, between two known positions. Ids have no gaps and stand at the front of their lines, so a guess
 * by proportion is close, and counting line feeds does the rest. No index is needed.
 */
export async function findLine(file: DiskFile, id: number, from: Mark, to: Mark): Promise<number> {
  let low = from
  let high = to
  /** No line begins between here and `high`. */
  let ceiling = to.at
  let block = blockBytes
  for (let probe = 0; low.id < id; probe += 1) {
    const at = guess(id, low, high, ceiling, block, probe)
    // A few bytes more, so that the id of a line that begins at the end of the block can be read.
    const bytes = await readExactly(file, at, Math.min(block + idBytes, to.at - at))
    const found = at === low.at ? low : firstLine(bytes, at)
    if (!found) {
      // A line longer than the block covers all of it.
      if (at + block >= ceiling) ceiling = at
      else block *= 2
    } else if (found.id > id) {
      high = found
      ceiling = at
    } else {
      const end = skipLines(bytes, id - found.id, found.at - at)
      if (end >= 0) return at + end
      const reached = lastLine(bytes, at, found)
      if (reached.at === low.at) block *= 2
      low = reached
    }
  }
  return low.at
}

function guess(id: number, low: Mark, high: Mark, ceiling: number, block: number, probe: number): number {
  const room = ceiling - low.at
  if (room <= block) return low.at
  // With lines of very different lengths the proportion is wrong: every third guess takes the middle instead.
  const share = probe % 3 === 2 ? 0.5 : (id - low.id) / (high.id - low.id)
  const wanted = low.at + Math.floor((high.at - low.at) * share) - block / 2
  return Math.max(low.at, Math.min(wanted, ceiling - block))
}

function firstLine(bytes: Buffer, at: number): Mark | null {
  const start = skipLines(bytes, 1)
  if (start < 0 || start + idBytes > bytes.length) return null
  return markAt(bytes, start, at)
}

function lastLine(bytes: Buffer, at: number, found: Mark): Mark {
  const start = bytes.lastIndexOf(0x0a, Math.max(0, bytes.length - idBytes)) + 1
  return start + at <= found.at ? found : markAt(bytes, start, at)
}

function markAt(bytes: Buffer, start: number, at: number): Mark {
  const id = idOfLine(bytes, start)
  if (id === 0) throw new Error(`no stored line begins at byte ${at + start}`)
  return { id, at: at + start }
}
