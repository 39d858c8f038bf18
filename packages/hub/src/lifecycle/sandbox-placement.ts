import type { RunnerGrant } from '@farhand/protocol/schemas/api'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxHost, SandboxSpec } from '../sandboxes/sandbox-host.ts'

/** Where and how the sandbox of one run can be started. */
export type SandboxPlace = {
  host: SandboxHost
  /** A warning for the user: that this sandbox does not isolate, and why there is no better one; null if none. */
  warning: string | null
  /** What the run asked for and gets less of, as the operator does not allow it, in words. */
  lowered: readonly string[]
  /** What the sandbox is started with. Its sockets are open when this resolves. */
  spec(id: string, grant: RunnerGrant): Promise<SandboxSpec>
}

/** Decides which host runs the sandbox of a run, and manages the sockets through which sandboxes reach outside. */
export interface SandboxPlacement {
  readonly hosts: readonly SandboxHost[]
  /** A place for this run; why it can have none; or what the user has to do first. */
  find(run: OwnedRun): Promise<SandboxPlace | { impossible: string } | { waits: string }>
  /** Opens the sockets of a sandbox that an earlier hub has started; false if its run may no longer have that kind of sandbox. */
  reopenSockets(run: OwnedRun, id: string, host: SandboxHost): Promise<boolean>
  /** Closes the sockets of a sandbox that is gone; doing it twice is no error. */
  closeSockets(id: string): Promise<void>
  /** Closes the sockets of all other sandboxes, which are gone. */
  closeOtherSockets(ids: ReadonlySet<string>): Promise<void>
}
