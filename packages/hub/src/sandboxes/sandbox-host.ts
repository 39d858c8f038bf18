import type { SandboxLimits } from '@farhand/protocol/schemas/sandbox-terms'
import type { RunId } from '@farhand/protocol/wire/ids'

/** As a run's terms say them, with the hub's own where those say nothing. */
export type AllLimits = { [Limit in keyof SandboxLimits]-?: NonNullable<SandboxLimits[Limit]> }

/** Where things lie, as the program inside sees them. */
export type SandboxPaths = {
  workspace: string
  /** What the runner and its agent keep beside the workspace, as long as this sandbox lives. */
  state: string
  home: string
  /** The folder with the sockets through which it reaches its hub and, if at all, the network. */
  socketFolder: string
}

export type SandboxSpec = {
  /** Chosen by the caller, and never used twice. */
  id: string
  run: RunId
  /** Our runner: a program and its arguments. Everyone on the machine can read them. */
  program: readonly [string, ...string[]]
  /** What the program reads from its standard input, whole; for everything that nobody else may see. */
  input: (paths: SandboxPaths) => string
  /** Files and folders outside that it may read; they have the same paths inside. */
  readable: readonly string[]
  /**
   * The folder outside that appears as `paths.socketFolder`. Whoever runs inside may be another user than the hub: it has to
   * be open to all (0755), its sockets too (0666); what keeps others out is a folder above it.
   */
  socketFolder: string
  /** `door`: nothing can be reached but what answers there. */
  network: 'full' | 'sockets-only'
  limits: AllLimits
}

export type SandboxEnd = {
  /** Null if it is not known: it ended while no hub was there. */
  code: number | null
  signal: string | null
  /** The last of what the program printed, for people who look for a fault. */
  lastWords: string
}

export type FoundSandbox = { id: string; run: RunId; isRunning: boolean }

/** A way to have sandboxes on this machine. They outlive the hub that started them. */
export interface SandboxHost {
  readonly kind: string
  /** False: what runs in it may do whatever the hub's user may. */
  readonly isolates: boolean
  /** Why it does not work on this machine, in words for its operator; null if it does. */
  unusable(): Promise<string | null>
  /** How far what it starts is held in, and by what means here, in words for its operator. */
  strength(): Promise<string>
  /** Resolves once the program inside runs and has its input; if it rejects nothing is left of the sandbox. */
  start(spec: SandboxSpec): Promise<void>
  /** All that there are, those of earlier hubs included; none is half there. */
  list(): Promise<FoundSandbox[]>
  /**
   * Resolves when no process of it is left, by whatever cause; at once if there is no such sandbox. What its program
   * leaves running is ended after it.
   */
  ended(id: string): Promise<SandboxEnd>
  /** Ends everything in it at once and removes its files; resolves when nothing is left. To do it twice is no error. */
  remove(id: string): Promise<void>
}
