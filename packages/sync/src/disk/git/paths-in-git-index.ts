const entryStart = 40
const isExtended = 0x4000

/**
 * The paths that a git index (version 2 to 4) lists, in NFC. Throws if it is none. `readShared` reads a file beside
 * the index: one that is split keeps most of its paths there.
 */
export function pathsInGitIndex(index: Buffer, readShared: (name: string) => Buffer): string[] {
  const version = index.readUInt32BE(4)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('not a git index')
  for (const hashBytes of [20, 32]) {
    const found = read(index, version, hashBytes, readShared)
    if (found) return found
  }
  throw new Error('the git index is damaged')
}

// The index does not say how long its hashes are: only with the right length does it add up to the end.
function read(
  index: Buffer,
  version: number,
  hashBytes: number,
  readShared: (name: string) => Buffer,
): string[] | null {
  const paths: string[] = []
  const count = index.readUInt32BE(8)
  const end = index.length - hashBytes
  let at = 12
  let name: Buffer = Buffer.alloc(0)
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + entryStart + hashBytes
    if (flagsAt + 2 > end) return null
    let from = flagsAt + (index.readUInt16BE(flagsAt) & isExtended ? 4 : 2)
    let kept = 0
    if (version === 4) {
      let byte = index[from++]!
      let cut = byte & 127
      while (byte & 128) {
        byte = index[from++]!
        cut = (cut + 1) * 128 + (byte & 127)
      }
      kept = name.length - cut
      if (!(kept >= 0)) return null
    }
    const to = index.indexOf(0, from)
    if (to === -1 || to > end) return null
    name =
      kept > 0 ? Buffer.concat([name.subarray(0, kept), index.subarray(from, to)]) : index.subarray(from, to)
    at = version === 4 ? to + 1 : at + ((to - at + 8) & ~7)
    // An entry without a name replaces one of the shared index, and a folder stands for all that is in it.
    if (name.length > 0) paths.push(name.toString().normalize('NFC').replace(/\/$/, ''))
  }
  while (at < end) {
    const bytes = at + 8 <= end ? index.readUInt32BE(at + 4) : Number.NaN
    if (!(at + 8 + bytes <= end)) return null
    if (index.toString('latin1', at, at + 4) === 'link') {
      const shared = index.toString('hex', at + 8, at + 8 + hashBytes)
      if (/[^0]/.test(shared)) paths.push(...pathsInGitIndex(readShared(`sharedindex.${shared}`), readShared))
    }
    at += 8 + bytes
  }
  return paths
}
