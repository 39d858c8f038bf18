import type { RunnerGrant } from '@farhand/protocol/schemas/api'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxHost, SandboxSpec } from '../sandboxes/sandbox-host.ts'

/** A place for the sandbox of one run. */
export type SandboxPlace = {
  host: SandboxHost
  /** What people have to know of it: that it does not hold anything in, and why there is no better one. */
  warning: string | null
  /** What the run asked for and the operator of the hub does not allow it, in words: it gets less. */
  lowered: readonly string[]
  /** What it is to be started with; by then its door is open. */
  spec(id: string, grant: RunnerGrant): Promise<SandboxSpec>
}

/** Which sandboxes a hub can have, and for whom. */
export interface SandboxPlacement {
  readonly hosts: readonly SandboxHost[]
  /** A place for this run; why there cannot be one; or what somebody has to do first, which is waited for. */
  find(run: OwnedRun): Promise<SandboxPlace | { impossible: string } | { waits: string }>
  /** Opens the door of a sandbox that an earlier hub has started; false if its run may not have one of that kind any more. */
  reopenSockets(run: OwnedRun, id: string, host: SandboxHost): Promise<boolean>
  /** Shuts the door of a sandbox that is gone; to do it twice is no error. */
  closeSockets(id: string): Promise<void>
  /** Shuts every door but these: nobody is behind it any more. */
  closeOtherSockets(ids: ReadonlySet<string>): Promise<void>
}
