import type { TermFlags } from './run-terms.ts'
import type { SandboxFlags } from './sandbox-flags.ts'

/** The flags of `farhand run`. */
export type AgentRunFlags = TermFlags &
  SandboxFlags &
  Readonly<
    Partial<
      Record<
        | 'agent'
        | 'secrets'
        | 'here'
        | 'folder'
        | 'worktree'
        | 'run'
        | 'detach'
        | 'timings'
        | 'hub'
        | 'token'
        | 'state'
        | 'json',
        unknown
      >
    >
  >
