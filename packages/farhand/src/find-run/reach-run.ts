import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import { allRuns } from '@farhand/device/find-run/all-runs'
import { findNamedRun, runNamed } from '@farhand/device/find-run/run-named'
import { type KnownRun, LocalRuns } from '@farhand/device/local-runs/local-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { hubTrouble } from '../errors/hub-trouble.ts'
import { hubAccess, reachableHub } from './hub-access.ts'

const mostNamed = 5
const wholeLength = 'run_'.length + 22

export type ReachFlags = { hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** A run, how to reach its hub, and what this machine remembers of it if its agent has worked here. */
export type ReachedRun = { hub: Hub; at: RunAddress; known: KnownRun | null }

/** The run that the user named: by its id, by a beginning of the id that is unique, or by its whole address. */
export async function reachRun(
  named: string,
  flags: ReachFlags,
  context: CommandContext,
): Promise<ReachedRun> {
  const place = stateFolderPath(flags.state, context)
  const state = new StateFolder(place)
  const runs = new LocalRuns(place)
  const reached = async (known: KnownRun): Promise<ReachedRun> => {
    const hub = await reachableHub(known, flags, state, context)
    return { hub, at: known.at, known: { ...known, url: hub.url } }
  }
  const isOther = flags.hub !== undefined || flags.token !== undefined
  const id = RunId.safeParse(named).data
  const known = id && !isOther ? runs.find(id) : null
  if (known) return await reached(known)
  const beginning = named.includes('/') ? null : beginningOf(named)
  const isMeant = ({ at }: KnownRun) => beginning !== null && at.run.startsWith(beginning)
  const here = isOther ? [] : runs.all().filter(isMeant)
  let hub: Hub
  try {
    hub = await hubAccess(flags, state, context, { folder: context.cwd })
  } catch (error) {
    // Without a hub to ask, only the runs that this machine remembers can be meant.
    const [only] = here
    if (only && here.length === 1) return await reached(only)
    throw error
  }
  try {
    const at = beginning === null ? await addressNamed(hub, named, context) : await exactly(hub, id, context)
    if (at) return { hub, at, known: runs.find(at.run) }
    const options = { signal: context.stop, patienceMs }
    const { runs: listed } = await allRuns(hub, { ...options, begins: beginning!, most: mostNamed })
    const there = listed.map(addressOf)
    const elsewhere = here.filter(({ at }) => !there.some(({ run }) => run === at.run))
    const found = [...there, ...elsewhere.map(({ at }) => at)]
    const [only] = found
    if (!only || found.length > 1) throw notOne(named, found, context)
    return elsewhere[0] ? await reached(elsewhere[0]) : { hub, at: only, known: runs.find(only.run) }
  } catch (error) {
    throw hubTrouble(error, hub.url, context) ?? error
  }
}

/** The whole id for a shortened one as lists show it; any other text is returned as it is. */
export async function wholeId(hub: Hub, named: string, context: CommandContext): Promise<string> {
  if (!/^run_[0-9A-Za-z]+$/.test(named) || named.length >= wholeLength) return named
  // A shortened id is also a valid id: clients may choose the ids of runs.
  const same = await exactly(hub, RunId.safeParse(named).data, context)
  if (same) return same.run
  const wanted = { signal: context.stop, patienceMs, begins: named, most: mostNamed }
  const found = (await allRuns(hub, wanted)).runs.map(addressOf)
  const [only] = found
  if (!only || found.length > 1) throw notOne(named, found, context)
  return only.run
}

const addressNamed = (hub: Hub, named: string, { stop }: CommandContext) =>
  findNamedRun(hub, runNamed(named), '', stop)

/** The run with exactly this id; null if there is none: the beginning of an id may be a valid id, too. */
async function exactly(
  hub: Hub,
  id: RunId | undefined,
  { stop }: CommandContext,
): Promise<RunAddress | null> {
  if (!id) return null
  try {
    return addressOf(await findRun(hub, id, { signal: stop, patienceMs }))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'run.unknown') return null
    throw error
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

function notOne(named: string, found: readonly RunAddress[], { called }: CommandContext): Trouble {
  const list = `\`${called.farhand} ls\` lists the runs that there are.`
  if (found.length === 0) return new Trouble('usage', `No run begins with ${named}.`, list)
  const some = found.slice(0, mostNamed).map(({ run }) => run)
  return new Trouble('usage', `Several runs begin with ${named}: ${some.join(', ')}.`, 'Give more of its id.')
}
