import type { RunnerConfig } from '@farhand/protocol/runner-config'
import type { ListedAgent } from '@farhand/protocol/schemas/available-agents'
import type { SandboxPaths } from '../sandboxes/sandbox-host.ts'

/** An agent that can be started in a sandbox. */
export type SandboxAgent = {
  /** Files and folders outside that it takes to run it. */
  readable: readonly string[]
  /** The hosts of its model: a sandbox that may reach only some hosts may reach these. */
  modelHosts: readonly string[]
  /** Those of them that the operator of the hub has set, and no secret of a run: they may be in a private network. */
  operatorHosts: readonly string[]
  /** How it is started where things lie so. */
  inside(paths: SandboxPaths): Omit<RunnerConfig['agent'], 'id'>
  /** Which variables of that environment nobody should ever see in what is said. */
  secrets: readonly string[]
}

/** Whether the run is given what the hub's own environment has for its agent: keys, above all. */
type Shared = { getsKeys: boolean }

/** What a hub needs to have sandboxes at all: how our runner is started in one, and the agents. */
export type Equipment = {
  runner: { program: readonly [string, ...string[]]; readable: readonly string[] }
  /** Where programs are found. */
  path: string
  /** Every agent that is known here, and whether it could work. */
  agents(to: Shared): ListedAgent[]
  /** The agent of this id, with these besides in its environment; or why it cannot be started, in words. */
  agent(
    id: string,
    secrets: Readonly<Record<string, string>>,
    to: Shared,
  ): SandboxAgent | { impossible: string }
}
