import { blobsNamed, bundlesNamed } from '@farhand/protocol/events/blobs-named'
import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { GitCommit } from '@farhand/protocol/methods/git'
import { AgentMemories } from '@farhand/protocol/runs/agent-memories'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView } from '@farhand/protocol/runs/run-view'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { Needs } from './unreferenced.ts'

// Events whose blobs the conversation does not show: workspace files are tracked by the tree, contents sent on request are temporary,
// and of agent memories only the newest counts.
const isNotShown = eventsNamed('file_change', 'file_sync', 'file_kept', 'file_content', 'agent_memory')

const changesMemories = eventsNamed('agent_memory', 'rewind')

/**
 * Until when a log needs each blob it names (W25). Needed while the run is open: files of the workspace, what the conversation shows, and
 * what its agent remembers. A version or memory that was replaced, or never counted, is needed until the event that replaced it. A
 * bundle is needed for ever, and so are files newer than the last bundle: when a run is closed while asleep, no runner can make another
 * bundle.
 */
export async function neededByLog(events: AsyncIterable<StoredEvent>): Promise<Needs> {
  const until = new Map<BlobHash, number>()
  const need = (hash: BlobHash, time: number) => until.set(hash, Math.max(time, until.get(hash) ?? -Infinity))

  const tree = new WorkspaceTree()
  const shown = new Set<BlobHash>()
  const memories = new AgentMemories()
  let view = emptyRunView
  let closedAt = Infinity
  let checkpointed = Infinity

  for await (const event of events) {
    const { notification } = event
    const time = Date.parse(event.timestamp)
    const named = blobsNamed(notification)
    for (const hash of named) need(hash, time)
    for (const hash of bundlesNamed(notification)) need(hash, Infinity)

    const { kept } = tree.apply(event)
    for (const { entry } of kept) need(entry.hash, time)
    if (isEvent(notification, 'git_commit')) checkpointed = checkpointAt(notification.params) ?? checkpointed
    if (changesMemories(notification))
      for (const { blobs } of memories.all()) for (const hash of blobs) need(hash, time)
    memories.take(event)
    if (!isNotShown(notification)) for (const hash of named) shown.add(hash)

    const before = view
    view = foldRunView(view, event)
    if (view.status === 'closed' && before.status !== 'closed') closedAt = time
  }

  const needed = view.status === 'closed' ? closedAt : Infinity
  for (const { entry, eventId } of tree.files()) need(entry.hash, eventId > checkpointed ? Infinity : needed)
  for (const hash of shown) need(hash, needed)
  for (const { blobs } of memories.all()) for (const hash of blobs) need(hash, needed)
  return until
}

/** The last event whose files a checkpoint includes; undefined if this commit is no checkpoint. */
function checkpointAt(params: unknown): number | undefined {
  const commit = GitCommit.safeParse(params).data
  return commit?.kind === 'checkpoint' ? commit.upTo : undefined
}
