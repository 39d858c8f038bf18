import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { entryInWords, inTheWay } from './contents.ts'
import type { FakeHub } from './fake-hub.ts'
import type { Replica } from './replica.ts'

/** Something that must never happen, and did. */
export class Broken extends Error {
  readonly claim: string

  constructor(claim: string, message: string) {
    super(`${claim} ${message}`)
    this.claim = claim
  }
}

/** S4: what the engine is about to overwrite can be put back, because the log names it. */
export function nothingIsDestroyed(
  replica: Replica,
  hub: FakeHub,
  path: WorkspacePath,
  from: FileEntry | null,
  to: FileEntry | null,
): void {
  if (!from || hub.names(path, from)) return
  const isOfBase = hub.held.get(path)?.some(({ entry, eventId }) => eventId === 0 && sameEntry(entry, from))
  if (!isOfBase)
    throw new Broken(
      'S4',
      `${replica.name} overwrites ${path}=${entryInWords(from)} with ${entryInWords(to)}, and no other place has it`,
    )
}

/** S2: a user's version of a path may be replaced by another user's, or by a later one, but never by a runner's. */
export function localWins(replica: Replica, hub: FakeHub, path: WorkspacePath): void {
  const last = replica.disk.made.get(path)?.at(-1)
  if (replica.wins !== 'disk' || last?.by !== 'hand' || replica.yields.has(path)) return
  // What is missing when folder and run meet was not deleted from the run.
  if (!last.entry && !last.isMet) return
  // A user who goes back to what was agreed has changed nothing.
  const made = replica.disk.made.get(path) ?? []
  const agreed = made.findLast(({ by }) => by === 'engine')?.entry ?? null
  const couldBeAgreed = [agreed, ...made.filter(({ isMet }) => !isMet).map(({ entry }) => entry)]
  if (couldBeAgreed.some((entry) => sameEntry(entry, last.entry))) return
  const held = hub.held.get(path) ?? []
  // What the log has had before is not told from what is behind.
  const wasInLog = held.some(({ entry }) => sameEntry(entry, last.entry))
  // Across paths, too, the version of the first of two users stays.
  const related = [...hub.held].filter(([other]) => other === path || inTheWay(other, path))
  const others = related
    .flatMap(([, held]) => held)
    .some(({ by }) => by && by.kind !== 'runner' && JSON.stringify(by) !== JSON.stringify(replica.author))
  if (!wasInLog && !others)
    throw new Broken(
      'S2',
      `${replica.name} gives up ${path}=${entryInWords(last.entry)}, which it never sent, for a runner's`,
    )
}

/** What a replica sends was made by a user in its folder, and not overwritten by newer work since. */
export function nothingIsReverted(
  replica: Replica,
  hub: FakeHub,
  path: WorkspacePath,
  entry: FileEntry | null,
): void {
  // What it took away itself by something that is no longer in the way, it may bring back.
  const last = hub.held.get(path)?.at(-1)
  if (last?.isTaken && JSON.stringify(last.by) === JSON.stringify(replica.author)) return
  const made = replica.disk.made.get(path) ?? []
  const at = made.findLastIndex((one) => sameEntry(one.entry, entry))
  if (at === -1 || made.slice(at).some(({ by }) => by === 'engine'))
    throw new Broken(
      'reverted',
      `${replica.name} sends ${path}=${entryInWords(entry)}, which no user made there since it was overwritten`,
    )
}

/** S12: after silence every folder holds what the log says. */
export function allAreEqual(replicas: readonly Replica[], hub: FakeHub): void {
  for (const { path, entry } of hub.tree.files()) {
    if (!sameEntry(entry, hub.entry(path))) throw new Error('the simulation has lost track of the fold')
  }
  for (const { name, disk } of replicas) {
    for (const path of new Set([...disk.files.keys(), ...hub.held.keys()])) {
      const [here, there] = [disk.entry(path), hub.entry(path)]
      if (!sameEntry(here, there))
        throw new Broken(
          'S12',
          `${name} has ${path}=${entryInWords(here)}, the log says ${entryInWords(there)}`,
        )
    }
  }
}

/** S5: after silence nothing is left of what was fetched and then not needed. */
export function nothingLiesAround(replicas: readonly Replica[]): void {
  for (const { name, disk } of replicas)
    if (disk.stagedCount > 0) throw new Broken('S5', `${name} keeps ${disk.stagedCount} unused files`)
}

/** S7: the number of events is bounded by the edits of users, with any crashes in between. */
export function noEchoes(replicas: readonly Replica[], hub: FakeHub): void {
  let byHand = 0
  for (const { disk } of replicas)
    for (const made of disk.made.values()) byHand += made.filter(({ by }) => by === 'hand').length
  if (hub.said > 2 * byHand) throw new Broken('S7', `${byHand} changes by hand became ${hub.said} in the log`)
}
