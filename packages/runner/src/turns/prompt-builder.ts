import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Conversation } from '../briefing/conversation.ts'
import type { FileChanged } from '../briefing/files-changed-notice.ts'
import type { Workspace } from '../files/workspace.ts'
import type { AgentHost } from '../host/agent-host.ts'
import type { Setup } from '../setup/setup.ts'
import { type BuildPrompt, promptBlocks } from './prompt-blocks.ts'

type Parts = {
  hub: Hub
  at: RunAddress
  agent: { hidesContext?: boolean | undefined }
  /** Further files that changed since the last call, as reported by others. */
  alsoChanged?: (() => FileChanged[]) | undefined
  host: AgentHost
  conversation: Conversation
  setup: Setup
  /** Null until the workspace is open. */
  workspace: () => Workspace | null
}

/** Builds what the agent is sent for a message from everything it has to know. */
export function promptBuilder(parts: Parts): BuildPrompt {
  const { hub, at, alsoChanged = () => [], host, conversation, setup, workspace } = parts
  const attached = (hashes: ReadonlySet<BlobHash>) => fetchBlobs(hub, at, hashes)
  return async (message, knows) => {
    const { promptCapabilities = {} } = (await host.current())?.said.agentCapabilities ?? {}
    const takes = parts.agent.hidesContext
      ? { ...promptCapabilities, embeddedContext: false }
      : promptCapabilities
    const briefing = await conversation.briefing()
    // A message sent into a turn may never reach the agent: notices that are given only once must not be spent on it.
    if (knows.isInto) return promptBlocks(message, knows, { attached, briefing, changed: [], takes })
    const found = workspace()?.takeChanged() ?? []
    // A briefing names changed files itself; and in a new place, every file was put there just now.
    const isTold = knows.isBriefed || typeof knows.since === 'number'
    const changed = [...(isTold ? [] : found), ...alsoChanged()]
    return promptBlocks(message, knows, { attached, briefing, changed, setup: setup.takeNotice(), takes })
  }
}
