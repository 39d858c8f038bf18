const least = 64 * 1024

/** Joins small pieces: each piece is a separate write, which is expensive for small ones. */
export async function* inLargePieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    if (size > 0 && size + piece.length > least) {
      yield small.length === 1 ? small[0]! : Buffer.concat(small, size)
      small = []
      size = 0
    }
    if (piece.length >= least) {
      yield piece
      continue
    }
    small.push(piece)
    size += piece.length
  }
  if (size > 0) yield small.length === 1 ? small[0]! : Buffer.concat(small, size)
}
