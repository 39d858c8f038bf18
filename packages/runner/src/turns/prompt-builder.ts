import type { ContentBlock } from '@agentclientprotocol/sdk'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { AgentHost } from '../host/agent-host.ts'
import type { Conversation } from '../briefing/conversation.ts'
import type { Workspace } from '../files/workspace.ts'
import type { RunnerOptions } from '../runner-options.ts'
import type { Setup } from '../setup/setup.ts'
import type { Message } from '../orders/orders.ts'
import { promptBlocks } from './prompt-blocks.ts'
import type { Knows } from './turn.ts'

type Parts = Pick<RunnerOptions, 'hub' | 'at' | 'agent' | 'alsoChanged'> & {
  host: AgentHost
  conversation: Conversation
  setup: Setup
  /** Null until there is one. */
  workspace: () => Workspace | null
}

/** Puts together what the agent is sent for a message, from all that it has to know first. */
export function prompting(parts: Parts): (message: Message, knows: Knows) => Promise<ContentBlock[]> {
  const { hub, at, alsoChanged = () => [], host, conversation, setup, workspace } = parts
  const attached = (hashes: ReadonlySet<BlobHash>) => fetchBlobs(hub, at, hashes)
  return async (message, knows) => {
    const { promptCapabilities = {} } = (await host.current())?.said.agentCapabilities ?? {}
    const takes = parts.agent.hidesContext
      ? { ...promptCapabilities, embeddedContext: false }
      : promptCapabilities
    const briefing = await conversation.briefing()
    // What is said into a turn may never be heard: what has to be told but once is not for that.
    if (knows.isInto) return promptBlocks(message, knows, { attached, briefing, changed: [], takes })
    const found = workspace()?.takeChanged() ?? []
    // Who is told of the log is told of these there; in an empty place every file is one that was put there just now.
    const isTold = knows.isBriefed || typeof knows.since === 'number'
    const changed = [...(isTold ? [] : found), ...alsoChanged()]
    return promptBlocks(message, knows, { attached, briefing, changed, setup: setup.takeNotice(), takes })
  }
}
