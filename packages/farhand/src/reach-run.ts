import type { Hub } from '@farhand/client/hub'
import { addressOf } from '@farhand/client/resources'
import { RunId } from '@farhand/protocol/ids'
import type { RunAddress } from '@farhand/protocol/routes'
import { StateFolder } from '@farhand/sync/state-folder'
import { allRuns } from './all-runs.ts'
import { findNamedRun, hubTrouble, patienceMs } from './find-run.ts'
import { hubAccess } from './hub-access.ts'
import { runNamed } from './run-named.ts'
import { type KnownRun, RunsHere } from './runs-here.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type ReachFlags = { hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** A run, how to reach its hub, and what this machine knows of it if its agent has worked here. */
export type ReachedRun = { hub: Hub; at: RunAddress; known: KnownRun | null }

/** The run that someone named: by its id, the beginning of one that no other begins with, or its whole address. */
export async function reachRun(named: string, flags: ReachFlags, world: World): Promise<ReachedRun> {
  const place = statePlace(flags.state, world)
  const runs = new RunsHere(place)
  const isOther = flags.hub !== undefined || flags.token !== undefined
  const full = RunId.safeParse(named).data
  const known = full ? runs.find(full) : null
  if (known && !isOther) return { hub: { url: known.url, token: known.token }, at: known.at, known }
  const beginning = full || named.includes('/') ? null : beginningOf(named)
  const here =
    beginning === null || isOther ? [] : runs.all().filter(({ at }) => at.run.startsWith(beginning))
  let access: Hub
  try {
    access = await hubAccess(flags, new StateFolder(place), world)
  } catch (error) {
    // Without a hub to ask, what is remembered here is all there is.
    const [only] = here
    if (only && here.length === 1)
      return { hub: { url: only.url, token: only.token }, at: only.at, known: only }
    throw error
  }
  const { url, token } = access
  const hub: Hub = { url, ...(token !== undefined && { token }) }
  try {
    if (beginning === null) {
      const at = await findNamedRun(hub, runNamed(named), '', world.stop)
      return { hub, at, known: runs.find(at.run) }
    }
    const listed = await allRuns(hub, { signal: world.stop, patienceMs })
    const there = listed.filter(({ run }) => run.id.startsWith(beginning)).map(({ run }) => addressOf(run))
    const elsewhere = here.filter(({ at }) => !there.some(({ run }) => run === at.run))
    const [only] = there
    const [other] = elsewhere
    if (there.length + elsewhere.length !== 1)
      throw notOne(named, [...there, ...elsewhere.map(({ at }) => at)], world)
    if (other) return { hub: { url: other.url, token: other.token }, at: other.at, known: other }
    return { hub, at: only!, known: runs.find(only!.run) }
  } catch (error) {
    throw hubTrouble(error, url, world) ?? error
  }
}

function beginningOf(named: string): string {
  const beginning = named.startsWith('run_') ? named : `run_${named}`
  if (/^run_[0-9A-Za-z]+$/.test(beginning)) return beginning
  throw new Trouble(
    'usage',
    `${JSON.stringify(named)} names no run.`,
    'Give its id, run_..., or how it begins.',
  )
}

function notOne(named: string, found: readonly RunAddress[], { called }: World): Trouble {
  const list = `\`${called.farhand} ls\` lists the runs that there are.`
  if (found.length === 0) return new Trouble('usage', `No run begins with ${named}.`, list)
  const some = found.slice(0, 5).map(({ run }) => run)
  return new Trouble('usage', `Several runs begin with ${named}: ${some.join(', ')}.`, 'Give more of its id.')
}
