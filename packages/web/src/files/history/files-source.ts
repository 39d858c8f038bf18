import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Where the files of a run come from. */
export type FilesSource = {
  hub: Hub
  at: RunAddress
  /** Gives all events of the run in order, in batches: past events soon, then new ones as they come. */
  listen(take: (events: readonly SeenEvent[]) => void): () => void
}
