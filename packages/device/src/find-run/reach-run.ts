import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type KnownRun, KnownRuns } from '../known-runs/known-runs.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'
import { allRuns } from './all-runs.ts'
import { findNamedRun, runNamed } from './run-named.ts'

/** How many runs are named if several can be meant. */
export const mostNamed = 5
const wholeLength = 'run_'.length + 22

/** A run, how to reach its hub, and what this machine remembers of it if its agent has worked here. */
export type ReachedRun = { hub: Hub; at: RunAddress; known: KnownRun | null }

/** No run begins as the user said, or several do. */
export type NotOne = { is: 'not-one'; found: readonly RunAddress[] }

type Ways = {
  stateFolder: string
  /** Whether the user names a hub: then what this machine remembers does not count. */
  isOtherHub: boolean
  /** Gives access to the hub of a remembered run. */
  hubOf: (known: KnownRun) => Promise<Hub>
  /** Gives access to the hub of the command. */
  hub: () => Promise<Hub>
  /** The error for the user if a hub refuses something. */
  explain: (error: unknown, hub: Hub) => unknown
  stop: AbortSignal
}

/** The run that the user named: by its id, by a beginning of the id that is unique, or by its whole address. */
export async function reachRun(
  named: string,
  { stateFolder, isOtherHub, hubOf, hub: findHub, explain, stop }: Ways,
): Promise<{ is: 'one'; run: ReachedRun } | NotOne> {
  const runs = new KnownRuns(stateFolder)
  const one = (run: ReachedRun) => ({ is: 'one', run }) as const
  const reached = async (known: KnownRun) => {
    const hub = await hubOf(known)
    return one({ hub, at: known.at, known: { ...known, url: hub.url } })
  }
  const id = RunId.safeParse(named).data
  const known = id && !isOtherHub ? runs.find(id) : null
  if (known) return await reached(known)
  const beginning = named.includes('/') ? null : beginningOf(named)
  const isMeant = ({ at }: KnownRun) => beginning !== null && at.run.startsWith(beginning)
  const here = isOtherHub ? [] : runs.all().filter(isMeant)
  let hub: Hub
  try {
    hub = await findHub()
  } catch (error) {
    // Without a hub to ask, only the runs that this machine remembers can be meant.
    const [only] = here
    if (only && here.length === 1) return await reached(only)
    throw error
  }
  try {
    const at =
      beginning === null ? await findNamedRun(hub, runNamed(named), '', stop) : await exactly(hub, id, stop)
    if (at) return one({ hub, at, known: runs.find(at.run) })
    const options = { signal: stop, patienceMs }
    const { runs: listed } = await allRuns(hub, { ...options, begins: beginning!, most: mostNamed })
    const there = listed.map(addressOf)
    const elsewhere = here.filter(({ at }) => !there.some(({ run }) => run === at.run))
    const found = [...there, ...elsewhere.map(({ at }) => at)]
    const [only] = found
    if (!only || found.length > 1) return { is: 'not-one', found }
    return elsewhere[0] ? await reached(elsewhere[0]) : one({ hub, at: only, known: runs.find(only.run) })
  } catch (error) {
    throw explain(error, hub)
  }
}

/** The whole id for a shortened one as lists show it; any other text is returned as it is. */
export async function wholeId(
  hub: Hub,
  named: string,
  signal: AbortSignal,
): Promise<{ is: 'one'; id: string } | NotOne> {
  if (!/^run_[0-9A-Za-z]+$/.test(named) || named.length >= wholeLength) return { is: 'one', id: named }
  // A shortened id is also a valid id: clients may choose the ids of runs.
  const same = await exactly(hub, RunId.safeParse(named).data, signal)
  if (same) return { is: 'one', id: same.run }
  const wanted = { signal, patienceMs, begins: named, most: mostNamed }
  const found = (await allRuns(hub, wanted)).runs.map(addressOf)
  const [only] = found
  return only && found.length === 1 ? { is: 'one', id: only.run } : { is: 'not-one', found }
}

/** The run with exactly this id; null if there is none: the beginning of an id may be a valid id, too. */
async function exactly(hub: Hub, id: RunId | undefined, signal: AbortSignal): Promise<RunAddress | null> {
  if (!id) return null
  try {
    return addressOf(await findRun(hub, id, { signal, patienceMs }))
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
