import { closeSync, openSync, readSync } from 'node:fs'

const newline = 10
const pieceBytes = 256 * 1024

/** The whole lines of a file, one after another; one that was not finished is left out. */
export function* linesOf(file: string): Generator<string> {
  const from = openSync(file, 'r')
  try {
    let begun: Buffer[] = []
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const length = readSync(from, piece)
      if (length === 0) return
      let start = 0
      for (
        let end = piece.indexOf(newline);
        end !== -1 && end < length;
        end = piece.indexOf(newline, start)
      ) {
        yield Buffer.concat([...begun, piece.subarray(start, end)]).toString()
        begun = []
        start = end + 1
      }
      begun.push(piece.subarray(start, length))
    }
  } finally {
    closeSync(from)
  }
}
