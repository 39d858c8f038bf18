import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { blobHeadBytes, recordHeadBytes } from '@farhand/protocol/wire/pack'
import { Pieces } from '../../blobs/pieces.ts'
import type { ReceivedBlobs } from '../../blobs/received-blobs.ts'

/** The content of a pack: blobs and the text of the events. */
export type Packed = { received: ReceivedBlobs; events: Buffer | null }

const malformed = (message: string) => new Fault('request.malformed', `body: ${message}`, { field: 'body' })
const tooLarge = (message: string) => new Fault('request.too-large', message)
const blobKind = 1
const eventsKind = 2

/**
 * Locates the records in the body of a request (W31) without copying them. `PackReader` does the same for a pack that arrives
 * piece by piece; here the whole body is in memory.
 */
export function readPack(body: readonly Buffer[], maxBlobBytes: number): Packed {
  const pack = new Pieces(body)
  const blobs: { hash: BlobHash; at: number; size: number }[] = []
  let events: Buffer | null = null
  for (let at = 0; at < pack.length; ) {
    if (events) throw malformed('the events are the last record of a pack')
    const head = pack.bytes(at, Math.min(blobHeadBytes, pack.length - at))
    const kind = head[0]
    if (kind === 3) throw malformed('only an answer can say that a blob is missing')
    if (kind !== blobKind && kind !== eventsKind)
      throw malformed(`a record begins with its kind, 1 to 3, not with ${kind}`)
    const headBytes = kind === blobKind ? blobHeadBytes : recordHeadBytes
    if (head.length < recordHeadBytes) throw malformed('the pack ends within a record')
    const size = head.readUInt32BE(1)
    if (size > limits.requestBytes)
      throw tooLarge(`body: a record of ${size} bytes is larger than ${limits.requestBytes}`)
    if (at + headBytes + size > pack.length) throw malformed('the pack ends within a record')
    at += headBytes
    if (kind === eventsKind) {
      events = pack.bytes(at, size)
    } else {
      if (size > maxBlobBytes) throw tooLarge(`file contents may have ${maxBlobBytes} bytes here`)
      const hash = `sha256_${head.toString('hex', recordHeadBytes, blobHeadBytes)}` as BlobHash
      blobs.push({ hash, at, size })
    }
    at += size
  }
  if (blobs.length > limits.blobsPerRequest) {
    throw tooLarge(`a pack may carry ${limits.blobsPerRequest} blobs; send the rest in a second one`)
  }
  return { received: { pack, blobs }, events }
}
