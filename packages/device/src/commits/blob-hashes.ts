import { createHash, type Hash } from 'node:crypto'

const newline = 10

/**
 * The SHA-256 of each blob in the output of `git cat-file --batch`, by object name, without holding a blob in memory.
 */
export async function blobHashes(printed: AsyncIterable<Uint8Array>): Promise<Map<string, string>> {
  const sums = new Map<string, string>()
  let head = ''
  let at: { name: string; left: number; hash: Hash } | null = null
  for await (const piece of printed) {
    for (let from = 0; from < piece.length; ) {
      if (!at) {
        const end = piece.indexOf(newline, from)
        head += Buffer.from(piece.subarray(from, end === -1 ? piece.length : end)).toString('latin1')
        if (end === -1) break
        from = end + 1
        const [name = '', kind, size] = head.split(' ')
        head = ''
        // A missing object has no content.
        if (kind === 'blob') at = { name, left: Number(size), hash: createHash('sha256') }
        continue
      }
      if (at.left > 0) {
        const part = piece.subarray(from, from + at.left)
        at.hash.update(part)
        at.left -= part.length
        from += part.length
        continue
      }
      // The newline after the content.
      from += 1
      sums.set(at.name, `sha256_${at.hash.digest('hex')}`)
      at = null
    }
  }
  return sums
}
