import { Fault } from '@farhand/protocol/faults'
import { limits } from '@farhand/protocol/limits'
import { BadPack, PackReader, type PackRecord } from '@farhand/protocol/pack'
import type { WholeBlob } from '../blobs/packed-blobs.ts'

/** What a request carries: blobs, and the text of its events. */
export type Packed = { blobs: WholeBlob[]; events: Buffer | null }

/** Takes the body of a request apart (W31). The bytes of the blobs are views of it. */
export function readPack(body: readonly Buffer[], maxBlobBytes: number): Packed {
  const blobs: WholeBlob[] = []
  let events: Buffer | null = null
  for (const record of recordsOf(body)) {
    switch (record.kind) {
      case 'blob':
        if (record.bytes.length > maxBlobBytes) {
          throw new Fault('request.too-large', `file contents may have ${maxBlobBytes} bytes here`)
        }
        blobs.push({ hash: record.hash, bytes: record.bytes })
        break
      case 'events':
        events = Buffer.from(record.bytes.buffer, record.bytes.byteOffset, record.bytes.length)
        break
      case 'missing':
        throw new Fault('request.malformed', 'body: only an answer can say that a blob is missing', {
          field: 'body',
        })
    }
  }
  if (blobs.length > limits.blobsPerRequest) {
    throw new Fault(
      'request.too-large',
      `a pack may carry ${limits.blobsPerRequest} blobs; send the rest in a second one`,
    )
  }
  return { blobs, events }
}

function recordsOf(body: readonly Buffer[]): PackRecord[] {
  try {
    const reader = new PackReader({ mostBytes: limits.requestBytes })
    const records = body.flatMap((chunk) => reader.feed(chunk))
    reader.end()
    return records
  } catch (error) {
    if (!(error instanceof BadPack)) throw error
    const code = error.why === 'too-large' ? 'request.too-large' : 'request.malformed'
    throw new Fault(code, `body: ${error.message}`, { field: 'body', cause: error })
  }
}
