import { readLog } from '@farhand/client/follow/read-log'
import { Refusal } from '@farhand/client/requests/refusal'
import { runStatus } from '@farhand/client/resources/resources'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { EntriesStored } from '@farhand/runner/events/entries-stored'
import { openJournal } from '@farhand/runner/events/file-journal'
import type { KnownRun, KnownRuns } from '../known-runs/known-runs.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'

/** What a hub says of a run; `gone` if the hub knows the user but not the run, null if it does not answer. */
export type Standing = 'open' | 'closed' | 'gone' | null

/** Looks up the runs that this machine remembers. */
export type RunLookup = {
  standing(known: KnownRun): Promise<Standing>
  log(known: KnownRun): AsyncIterable<SeenEvent>
}

/** Asks the hubs of the runs; a hub that does not answer is not asked again. */
export function askHubs(stateRoot: string, signal: AbortSignal): RunLookup {
  const silent = new Set<string>()
  const options = { signal, patienceMs: 0 }
  return {
    async standing({ url, token, at }) {
      if (silent.has(url)) return null
      try {
        const { status } = await runStatus(viaLocalSocket(stateRoot, { url, token }), at, options)
        return status === 'closed' ? 'closed' : 'open'
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof Refusal && error.code === 'run.unknown') return 'gone'
        if (!(error instanceof Refusal)) silent.add(url)
        return null
      }
    },
    log: ({ url, token, at }) => readLog(viaLocalSocket(stateRoot, { url, token }), at, options),
  }
}

/** Forgets runs that were closed long ago, if all events of their journals are in their logs. */
export async function pruneRuns(runs: KnownRuns, ask: RunLookup, now: Date): Promise<void> {
  runs.clearAway()
  const closed: ClosedRun[] = []
  const urls = new Set<string>()
  for (const run of runs.names()) {
    const known = runs.find(run)
    const url = known?.url ?? null
    let closedAt = runs.holder(run) === null ? runs.closedAt(run) : null
    if (closedAt === null && known && runs.holder(run) === null && isOver(await ask.standing(known))) {
      runs.noteClosed(run, now)
      closedAt = now.getTime()
    }
    if (closedAt !== null) closed.push({ run, url, closedAt })
    else if (url !== null) urls.add(url)
  }
  for (const old of runsToForget(closed, urls, now.getTime())) await forget(old, runs, ask)
}

const isOver = (standing: Standing) => standing === 'closed' || standing === 'gone'

async function forget({ run }: ClosedRun, runs: KnownRuns, ask: RunLookup): Promise<void> {
  const known = runs.find(run)
  // The run may have been opened again from another machine.
  const standing = known ? await ask.standing(known) : 'gone'
  if (standing === 'open') return runs.noteOpen(run)
  if (!isOver(standing)) return
  await runs.remove(run, async () => {
    for (const { journal, isNoted } of runs.journals(run)) {
      if (isNoted) continue
      // Without a log to compare with, the journal may hold the only copy of its events.
      if (standing === 'gone' || !known || !(await isJournalInLog(journal, ask.log(known)))) return false
    }
    return true
  })
}

/**
 * Whether the log of a closed run has all that a runner wrote into its journal. `log` is the whole log. No process may be
 * using the journal.
 */
async function isJournalInLog(journal: string, log: AsyncIterable<SeenEvent>): Promise<boolean> {
  // The highest possible generation: no runner can be newer than this one, which never begins.
  const { leftovers } = openJournal(journal, Number.MAX_SAFE_INTEGER)
  if (!leftovers) return true
  const stored = new EntriesStored(leftovers.generation)
  for await (const event of log) stored.take(event)
  for (const _ of leftovers.from(stored.count)) return false
  return true
}

/** A closed run that this machine remembers; `url` is its hub, if known. */
export type ClosedRun = { run: RunId; url: string | null; closedAt: number }

const mostKept = 20
const keptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Which closed runs this machine can forget. The ones closed last stay for a while: if the user opens one again, its agent
 * still has its memory, and changes in its folder count as new. One run of each hub always stays, because its token gives access to
 * the hub; `urls` are the hubs that are remembered anyway.
 */
export function runsToForget(
  closed: readonly ClosedRun[],
  urls: ReadonlySet<string>,
  now: number,
): ClosedRun[] {
  const known = new Set(urls)
  return closed
    .toSorted((a, b) => b.closedAt - a.closedAt)
    .filter(({ url, closedAt }, at) => {
      const isOnly = url !== null && !known.has(url)
      if (url !== null) known.add(url)
      return !isOnly && (at >= mostKept || now - closedAt >= keptMs)
    })
}
