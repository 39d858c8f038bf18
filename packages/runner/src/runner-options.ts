import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { AgentCommand } from './agent/agent.ts'
import type { FileChanged } from './briefing/files-changed-notice.ts'
import type { CheckpointsOptions } from './checkpoints/checkpoints.ts'
import type { NamedSecret } from './events/redaction.ts'
import type { AgentHostParts } from './host/agent-host.ts'
import type { AgentAsks } from './host/deny-enforcer.ts'
import type { AgentMemoryParts } from './memory/agent-memory.ts'
import type { SetupTerms } from './setup/setup.ts'

/** What a runner needs to begin. */
export type RunnerOptions = {
  /** With the runner's token. */
  hub: Hub
  at: RunAddress
  generation: number
  agent: {
    id: string
    command: AgentCommand
    asks?: AgentAsks
    /** The agent does not pass resources beside a message on to its model, so they are sent as text. */
    hidesContext?: boolean | undefined
  }
  start: AgentHostParts['start']
  /** Values to hide in everything the runner writes. Its own token and the agent's keys are always hidden. */
  secrets?: readonly NamedSecret[]
  /** The command that makes the files that are not synced, before the agent begins. */
  setup?: SetupTerms
  /** The runner's state folder, outside of the workspace: what is in it outlives the process. */
  state: string
  /** The folder in which the agent keeps its own files, and which of them travel with the run (W38). */
  memory?: Pick<AgentMemoryParts, 'folder' | 'terms'>
  /** Set in a sandbox, where the agent has a home of its own: what users bring is put there (W45). */
  bring?: boolean
  /** Files that changed since the last call, as reported by the embedding program; the agent is told beside a message. */
  alsoChanged?: () => FileChanged[]
  /** Set where the workspace may be lost: it is saved in checkpoints, and restored where it is empty. */
  checkpoints?: CheckpointsOptions
  /** Set where a user works in the workspace, too: its files win when workspace and run meet for the first time (W46). */
  first?: 'mine'
  /** Paths of the workspace that its user chose not to send. */
  leftOut?: readonly string[]
  /** File with the user's decisions about the workspace, if the folder is a user's own. */
  decisions?: string
  /** False where the files of the workspace are not part of the run: nothing is sent, received or watched. */
  syncs?: boolean
  /** How long the end of a turn waits until the turn's files are in the log before it; 2 s by default. */
  settleMs?: number
  signal: AbortSignal
}
