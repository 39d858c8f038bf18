import type { ListedRun, Project } from '@farhand/protocol/schemas/api'
import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { FieldName, NewRunPlan } from './new-run-form.ts'

/** Why the hub did not start a run, and the field to show it at. */
export class RunNotStarted extends Error {
  readonly field: FieldName

  constructor(field: FieldName, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RunNotStarted'
    this.field = field
  }
}

/** The choices for a new run. */
export type Offers = {
  here: AvailableAgents
  /** The newest fifty, newest first; any other project can be given by name. */
  projects: readonly Project[]
  /** The runs that can be forked, newest first. */
  runs: readonly ListedRun[]
}

/** What the new-run page needs of a hub. */
export type NewRunSource = {
  offers(signal: AbortSignal): Promise<Offers>
  /** Starts one run per key, however often it is called. Rejects with RunNotStarted. */
  begin(plan: NewRunPlan, key: string): Promise<RunAddress>
}
