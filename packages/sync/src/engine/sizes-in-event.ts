import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'

type Said = { hash?: unknown; size?: unknown }

/** How large the contents are that an event names, as far as it says so: a hint for those who fetch them. */
export function* sizesInEvent({ params }: Notification): Generator<[BlobHash, number]> {
  const files = Array.isArray(params?.files) ? (params.files as Said[]) : [params as Said]
  for (const file of files) {
    if (typeof file?.hash === 'string' && typeof file.size === 'number')
      yield [file.hash as BlobHash, file.size]
  }
}
