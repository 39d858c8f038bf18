import type { ListedAgent } from '@farhand/protocol/schemas/available-agents'
import type { RunnerConfig } from '@farhand/protocol/schemas/runner-config'
import type { SandboxPaths } from '../sandboxes/sandbox-host.ts'

/** An agent that can be started in a sandbox. */
export type SandboxAgent = {
  /** Files and folders of the hub's machine that it needs in order to run. */
  readable: readonly string[]
  /** The hosts of its model. A sandbox with a restricted network may still reach these. */
  modelHosts: readonly string[]
  /** Those of the model hosts that the hub's operator has set (not a run's secret): they may be in a private network. */
  operatorHosts: readonly string[]
  /** How it is started, with the paths inside the sandbox. */
  inside(paths: SandboxPaths): Omit<RunnerConfig['agent'], 'id'>
  /** The environment variables whose values must never appear in output. */
  secrets: readonly string[]
}

/** Whether the run gets the agent's settings from the hub's own environment, mainly API keys. */
type Shared = { getsKeys: boolean }

/** What a hub needs in order to have sandboxes: how to start the runner in one, and the agents. */
export type Equipment = {
  runner: { program: readonly [string, ...string[]]; readable: readonly string[] }
  /** The search path for programs. */
  path: string
  /** Every agent that is known here, and whether it can work. */
  agents(to: Shared): ListedAgent[]
  /** The agent of this id, with these secrets added to its environment; or why it cannot be started. */
  agent(
    id: string,
    secrets: Readonly<Record<string, string>>,
    to: Shared,
  ): SandboxAgent | { impossible: string }
}
