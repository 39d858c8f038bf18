import { hash as hashOnce } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { type ReceivedBlobs, receivedBlobs, type WholeBlob } from '../../blobs/received-blobs.ts'

/** File contents inside the events of one request, as seed 001 sends small files (W63). They become blobs. */
export class InlineContents {
  readonly #blobs = new Map<BlobHash, WholeBlob>()
  #bytes = 0

  /** Adds a content and returns the name of its blob. Throws if the content does not have the hash that was sent with it. */
  keep(content: string, said: unknown): BlobHash {
    const bytes = Buffer.from(content)
    this.#bytes += bytes.length
    if (bytes.length > limits.inlineBytes || this.#bytes > limits.inlineBytesPerRequest) {
      throw new Fault(
        'request.too-large',
        `content: an event may bring ${limits.inlineBytes} bytes of a file and a request ` +
          `${limits.inlineBytesPerRequest}; store larger files as blobs first`,
        { field: 'content' },
      )
    }
    const hash = `sha256_${hashOnce('sha256', bytes, 'hex')}` as BlobHash
    if (said !== undefined && said !== null && said !== hash) {
      throw new Fault('blob.mismatch', 'content: does not have the hash that is beside it; send it again', {
        field: 'content',
        hashes: [String(said)],
      })
    }
    this.#blobs.set(hash, { hash, bytes })
    return hash
  }

  /** All of them, or null if there are none. */
  get received(): ReceivedBlobs | null {
    return this.#blobs.size === 0 ? null : receivedBlobs([...this.#blobs.values()])
  }
}
