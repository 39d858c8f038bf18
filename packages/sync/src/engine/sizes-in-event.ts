import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'

type Said = { hash?: unknown; size?: unknown }

/** The sizes of the contents that an event names, where it has them: a hint for fetching them. */
export function* sizesInEvent({ params }: Notification): Generator<[BlobHash, number]> {
  const files = Array.isArray(params?.files) ? (params.files as Said[]) : [params as Said]
  for (const file of files) {
    if (typeof file?.hash === 'string' && typeof file.size === 'number')
      yield [file.hash as BlobHash, file.size]
  }
}
