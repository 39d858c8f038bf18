import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { type KnownRun, KnownRuns } from '../known-runs/known-runs.ts'
import { linkAround, placesMeant } from './run-paths.ts'

/** What this machine knows about the run of a path, or of the working folder. */
export type RunOfPlace = {
  /** The link of the folder that contains it; null if there is none, or an agent has worked there for another run since. */
  link: Link | null
  /** The run that began there last; null if none did. */
  known: KnownRun | null
}

/** The run of the given path, else that of the working folder. */
export function runOfPlace(state: StateFolder, cwd: string, given?: string): RunOfPlace {
  const linked = linkAround(state, { cwd }, given)
  const runs = new KnownRuns(state.root)
  const [known = null] = placesMeant({ cwd }, given).flatMap((name) => runs.of(name))
  // An agent has worked here without a sandbox after the folder was linked to another run.
  const isOlder = known?.sandbox === undefined && linked !== null && known?.at.run !== linked.at.run
  const link = known && isOlder && runs.find(linked.at.run) !== null ? null : linked
  return { link, known }
}
