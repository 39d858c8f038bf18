import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { AgentCommand } from './agent/agent.ts'
import type { FileChanged } from './briefing/files-changed-notice.ts'
import type { CheckpointsOptions } from './checkpoints/checkpoints.ts'
import type { NamedSecret } from './events/redaction.ts'
import type { AgentHostParts } from './host/agent-host.ts'
import type { AgentMemoryParts } from './memory/agent-memory.ts'
import type { SetupTerms } from './setup/setup.ts'

/** What a runner is told when it begins. */
export type RunnerOptions = {
  /** With the runner's token. */
  hub: Hub
  at: RunAddress
  generation: number
  agent: {
    id: string
    command: AgentCommand
    /** What it does without asking anybody where it works, in words, and the mode in which it does not. */
    asks?: { unasked?: string | undefined; denyMode?: string | undefined }
    /** It keeps from its model what it is given to look at beside a message: it is told that in words. */
    hidesContext?: boolean | undefined
  }
  start: AgentHostParts['start']
  /** What is never to be seen in what it says; its own token, and what is called a key or the like, is not in any case. */
  secrets?: readonly NamedSecret[]
  /** What makes the files that are not synced, before the agent begins. */
  setup?: SetupTerms
  /** Where it keeps what must outlive its process; outside of the workspace. */
  state: string
  /** Where the agent keeps all that it keeps, and what of that travels with the run (W38). */
  memory?: Pick<AgentMemoryParts, 'folder' | 'terms'>
  /** The agent's home is its own, in a sandbox: what people bring is put there (W45). */
  bring?: boolean
  /** What changed in the workspace as others tell, since this was last asked: a word to the agent beside a message. */
  alsoChanged?: () => FileChanged[]
  /** Given where the workspace may be gone at any time: it is kept in checkpoints, and put back where it is empty. */
  checkpoints?: CheckpointsOptions
  /** Where a person works in the workspace, too: what is there counts where it and the run meet (W46). */
  first?: 'mine'
  /** Paths of the workspace that its user chose not to send. */
  leftOut?: readonly string[]
  /** Where it is remembered what its user has decided about the workspace, if that is a folder of a user's. */
  decisions?: string
  /** How long the end of a turn waits for the files of the turn to be in the log before it; 2 s unless told. */
  settleMs?: number
  signal: AbortSignal
}
