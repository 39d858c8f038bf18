import type { ListedRun, Project } from '@farhand/protocol/schemas/api'
import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { FieldName, NewRunPlan } from './new-run-form.ts'

/** Why a run was not begun: what the hub said, and beside which field it belongs. */
export class RunNotStarted extends Error {
  readonly field: FieldName

  constructor(field: FieldName, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RunNotStarted'
    this.field = field
  }
}

/** What can be chosen for a new run. */
export type Offers = {
  here: AvailableAgents
  /** Newest first, the newest fifty: whoever means another one gives its name. */
  projects: readonly Project[]
  /** The runs that a fork can begin with, newest first. */
  runs: readonly ListedRun[]
}

/** What the page for a new run needs of a hub. */
export type NewRunSource = {
  offers(signal: AbortSignal): Promise<Offers>
  /** Begins it once under one key, however often it is asked. Rejects with RunNotStarted. */
  begin(plan: NewRunPlan, key: string): Promise<RunAddress>
}
