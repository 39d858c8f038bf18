/** An object in a pack: its name, its byte range, and its checksum. */
export type PackedObject = { name: string; start: number; end: number; crc: number }

const magic = 0xff744f63
const headBytes = 8
const fanoutBytes = 256 * 4
const nameBytes = 20
const packTrailerBytes = 20

/** The objects of a pack in file order, from its index (version 2); null if the index is invalid. */
export function packedObjects(index: Uint8Array, packBytes: number): PackedObject[] | null {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength)
  if (index.length < headBytes + fanoutBytes || view.getUint32(0) !== magic || view.getUint32(4) !== 2)
    return null
  const count = view.getUint32(headBytes + fanoutBytes - 4)
  const names = headBytes + fanoutBytes
  const crcs = names + count * nameBytes
  const offsets = crcs + count * 4
  const large = offsets + count * 4
  if (index.length < large) return null
  const objects: PackedObject[] = []
  for (let nth = 0; nth < count; nth++) {
    const small = view.getUint32(offsets + nth * 4)
    // An offset beyond 2 GB is in another table.
    const place = large + (small & 0x7fffffff) * 8
    if (small >= 0x80000000 && place + 8 > index.length) return null
    const start = small < 0x80000000 ? small : Number(view.getBigUint64(place))
    const name = Buffer.from(index.buffer, index.byteOffset + names + nth * nameBytes, nameBytes).toString(
      'hex',
    )
    objects.push({ name, start, end: 0, crc: view.getUint32(crcs + nth * 4) })
  }
  objects.sort((a, b) => a.start - b.start)
  for (const [nth, object] of objects.entries())
    object.end = objects[nth + 1]?.start ?? packBytes - packTrailerBytes
  return objects
}
