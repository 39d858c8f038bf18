import type { Witness } from '@farhand/client/follow/witness'
import { eventName } from '@farhand/protocol/events/event-names'
import { type TreeChange, WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import { SyncSettings } from '@farhand/protocol/methods/settings'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { BundleChain } from './bundle-chain.ts'

const nothing: readonly TreeChange[] = []

/** The workspace's files up to an event of the log, and the points they can be restored from: a fold of the log. */
export class LoggedFiles {
  readonly tree = new WorkspaceTree()
  readonly bundles = new BundleChain()
  witness: Witness = { id: 0, timestamp: '' }
  /** The newest limit on file sizes (S9). */
  maxFileBytes: number | null = null
  /** The newest message of a user. */
  message: string | null = null

  /**
   * Takes an event if it is the next one: several readers deliver events at their own pace, some with gaps. Returns
   * the paths that changed.
   */
  take(event: SeenEvent): readonly TreeChange[] {
    if (event.id !== this.witness.id + 1) return nothing
    this.witness = { id: event.id, timestamp: event.timestamp }
    this.bundles.take(event)
    const { method, params } = event.notification
    const name = eventName(method)
    if (name === 'sync_settings')
      this.maxFileBytes = SyncSettings.safeParse(params).data?.maxFileBytes ?? this.maxFileBytes
    if (name === 'user_message') this.message = UserMessage.safeParse(params).data?.content ?? this.message
    return this.tree.apply(event).changes
  }
}
