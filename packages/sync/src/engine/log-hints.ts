import type { Witness } from '@farhand/client/follow/witness'
import { isEvent } from '@farhand/protocol/events/event-names'
import { SyncSettings } from '@farhand/protocol/methods/settings'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Remembered } from './memory.ts'
import { sizesInEvent } from './sizes-in-event.ts'

/** What the log says besides which files there are: how large contents are, how large files may be, and its newest event. */
export class LogHints {
  maxFileBytes: number | null
  /** The newest event that was read, by which the log is recognized at the next start. */
  witness: Witness | null
  readonly #sizes = new Map<BlobHash, number>()

  constructor(remembered: Remembered | null) {
    this.maxFileBytes = remembered?.maxFileBytes ?? null
    this.witness = remembered?.witness ?? null
  }

  /** Takes the next event. Returns the new limit for the size of files if the event sets one. */
  take({ id, timestamp, notification }: SeenEvent, changesFiles: boolean): number | null {
    if (id >= (this.witness?.id ?? 0)) this.witness = { id, timestamp }
    if (changesFiles) for (const [hash, size] of sizesInEvent(notification)) this.#sizes.set(hash, size)
    if (!isEvent(notification, 'sync_settings')) return null
    const limit = SyncSettings.safeParse(notification.params).data?.maxFileBytes
    if (limit === undefined) return null
    this.maxFileBytes = limit
    return limit
  }

  sizeOf(hash: BlobHash): number | undefined {
    return this.#sizes.get(hash)
  }

  /** To be called when no content is left to fetch: the sizes are not needed any more. */
  forgetSizes(): void {
    this.#sizes.clear()
  }
}
