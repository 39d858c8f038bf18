import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { EventSourceMessage } from 'eventsource-parser'

/** Passes on the blobs that came inline among these messages. One that is not readable is skipped: it can be fetched. */
export function takeContents(
  messages: readonly EventSourceMessage[],
  take: (hash: BlobHash, bytes: Uint8Array) => void,
): void {
  for (const { event, data } of messages) {
    if (event !== 'blob') continue
    const [name, text = ''] = data.split(' ')
    const hash = BlobHash.safeParse(name)
    const bytes = fromBase64(text)
    if (hash.success && bytes) take(hash.data, bytes)
  }
}

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
