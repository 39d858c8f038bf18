import type { SandboxLimits } from '@farhand/protocol/schemas/sandbox-terms'
import type { RunId } from '@farhand/protocol/wire/ids'

/** The limits from the run's terms, with the hub's limits where the run sets none. */
export type AllLimits = { [Limit in keyof SandboxLimits]-?: NonNullable<SandboxLimits[Limit]> }

/** Paths, as the program inside sees them. */
export type SandboxPaths = {
  workspace: string
  /** For the runner's and its agent's files outside the workspace, as long as this sandbox exists. */
  state: string
  home: string
  /** The folder with the sockets through which it reaches the hub and, if allowed, the network. */
  socketFolder: string
}

export type SandboxSpec = {
  /** Chosen by the caller, and never used twice. */
  id: string
  run: RunId
  /** The runner: a program and its arguments, which every user of the machine can read. */
  program: readonly [string, ...string[]]
  /** The standard input of the program; for tokens and secrets, which must not be in arguments or files. */
  input: (paths: SandboxPaths) => string
  /** Files and folders outside that it may read, under the same paths inside. */
  readable: readonly string[]
  /**
   * The folder outside that appears as `paths.socketFolder`. The program inside may have another user than the hub, so the folder must be
   * open to all users (0755), its sockets too (0666). A parent folder must keep other users out.
   */
  socketFolder: string
  /** `sockets-only`: the program has no network, only the sockets in `socketFolder`. */
  network: 'full' | 'sockets-only'
  limits: AllLimits
}

export type SandboxEnd = {
  /** Null if unknown, as it ended while no hub was running. */
  code: number | null
  signal: string | null
  /** The last output of the program, for finding errors. */
  lastWords: string
}

export type FoundSandbox = { id: string; run: RunId; isRunning: boolean }

/** A kind of sandbox on this machine. Sandboxes keep running when the hub that started them ends. */
export interface SandboxHost {
  readonly kind: string
  /** False: programs inside have all permissions of the hub's user. */
  readonly isolates: boolean
  /** Why it does not work on this machine, in words for its operator; null if it does. */
  unusable(): Promise<string | null>
  /** How strongly it isolates on this machine, and by what means, in words for its operator. */
  strength(): Promise<string>
  /** Resolves once the program inside runs and has its input. If it rejects, nothing is left of the sandbox. */
  start(spec: SandboxSpec): Promise<void>
  /** All sandboxes, including those of earlier hubs. */
  list(): Promise<FoundSandbox[]>
  /**
   * Resolves when no process of the sandbox is left, for any reason; at once if there is no such sandbox. Processes that its program
   * leaves running are ended after it.
   */
  ended(id: string): Promise<SandboxEnd>
  /** Ends all its processes at once and removes its files; resolves when nothing is left. Doing it twice is no error. */
  remove(id: string): Promise<void>
}
