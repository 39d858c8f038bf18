import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Seen, SkipReason } from './disk-folder.ts'
import { DiskView } from './disk-view.ts'
import type { Agreement } from './memory.ts'
import { type Entry, reconcile, type Step, type Wins } from './reconcile.ts'
import type { TreeChanges, Trees } from './trees.ts'

/**
 * What is known of every path and what has to be done about it. The ledger decides; Sending and Receiving do the work and
 * report the result.
 *
 * A path is busy from the moment its transfer begins until its result is reported, so that no two transfers ever work on
 * the same path.
 */
export class Ledger {
  readonly trees: Trees
  readonly disk: DiskView
  readonly wins: Wins
  readonly toSend = new Set<WorkspacePath>()
  /** To be sent as well, and before the rest: it makes room. */
  readonly toDelete = new Set<WorkspacePath>()
  /** To be stored at the hub first, and then overwritten by what the log has. */
  readonly toKeep = new Set<WorkspacePath>()
  readonly toReceive = new Set<WorkspacePath>()
  readonly #us: SeenAuthor
  readonly #touched = new Set<WorkspacePath>()
  /** With the entry that is on its way to the log, null for a deletion; undefined if nothing is. */
  readonly #busy = new Map<WorkspacePath, Entry | undefined>()
  /** Could not be written; they wait for something to happen to the path or to what is in its way. */
  readonly #blocked = new Set<WorkspacePath>()
  /** How many paths inside of a folder are busy. */
  readonly #busyInside = new Map<string, number>()
  /** What this disk had here and the log knows of: it may be overwritten. */
  readonly #secured = new Map<WorkspacePath, FileEntry>()
  /** Files of the log that this disk skips. */
  readonly #leftOut = new Set<WorkspacePath>()
  /** Files on this disk that cannot be sent, although no rule ignores them. */
  readonly #onlyHere = new Set<WorkspacePath>()
  /** Called when a file is found to have gone. */
  onDeletion: () => void = () => {}

  constructor(trees: Trees, wins: Wins, us: SeenAuthor) {
    this.trees = trees
    this.disk = new DiskView((path) => trees.agreed(path))
    this.wins = wins
    this.#us = us
  }

  /** Whether nothing is left to do, but for what cannot be written for now. */
  get isSettled(): boolean {
    return (
      this.#busy.size + this.#touched.size + this.sendCount + this.toKeep.size + this.toReceive.size === 0
    )
  }

  /** How much there is to send, deletions included. */
  get sendCount(): number {
    return this.toSend.size + this.toDelete.size
  }

  /** How many paths the disk could not take: they wait until what is in their way has gone. */
  get blockedCount(): number {
    return this.#blocked.size
  }

  /** How many files of the log this disk skips. */
  get leftOutCount(): number {
    return this.#leftOut.size
  }

  /** How many files the log lacks because this disk cannot send them. */
  get onlyHereCount(): number {
    return this.#onlyHere.size
  }

  /** Paths that are busy and that were deleted meanwhile: their deletion is still to be sent. */
  *vanishing(): Generator<WorkspacePath> {
    for (const [path, sending] of this.#busy) {
      if (sending === null || this.disk.entry(path) !== null || this.disk.isSkipped(path)) continue
      if (sending || this.#stepAt(path).do === 'send') yield path
    }
  }

  touch(path: WorkspacePath): void {
    this.#touched.add(path)
  }

  see(seen: Seen): void {
    // A file that was not here before has not been deleted, however often its absence is reported.
    const hasGone = seen.entry === null && this.disk.entry(seen.path) !== null
    this.disk.see(seen)
    this.#leftOut.delete(seen.path)
    this.#onlyHere.delete(seen.path)
    this.#touched.add(seen.path)
    this.#unblock(seen.path)
    if (hasGone) this.onDeletion()
  }

  /** The path is not synced for now. */
  skip(path: WorkspacePath, why: SkipReason): void {
    this.disk.skip(path, why)
    if (why === 'ignored') this.#onlyHere.delete(path)
    else this.#onlyHere.add(path)
    this.#countLeftOut(path)
    this.#unplan(path)
    this.#blocked.delete(path)
    this.#secured.delete(path)
  }

  /** Takes the next event of the log. `hasFound` says of which paths it is known by now what the disk holds. */
  read(event: SeenEvent, isOurs: boolean, hasFound: (path: WorkspacePath) => boolean): TreeChanges {
    const taken = this.trees.take(event, isOurs, (path) => {
      if (hasFound(path)) this.disk.hold(path)
    })
    for (const { path } of taken.agreements) this.disk.tidy(path)
    for (const path of taken.touched) {
      this.#touched.add(path)
      if (this.disk.isSkipped(path)) this.#countLeftOut(path)
    }
    return taken
  }

  /** Lets the log win at this path, even if the disk wins elsewhere. */
  preferLog(path: WorkspacePath): void {
    this.disk.hold(path)
    this.trees.preferLog(path)
    this.#touched.add(path)
  }

  /** Lets the disk win at this path: what it has counts as an edit of what the log has. */
  preferDisk(path: WorkspacePath): void {
    this.disk.hold(path)
    this.agree(path, this.trees.log(path))
  }

  agree(path: WorkspacePath, entry: FileEntry | null): Agreement {
    const agreement = this.trees.agree(path, entry)
    this.disk.tidy(path)
    this.#touched.add(path)
    return agreement
  }

  /**
   * Decides about every path that was touched and is not busy. What is settled by that is given back, to be noted.
   * `hasFound` says of which paths it is known by now what the disk holds.
   */
  decide(hasFound: (path: WorkspacePath) => boolean): Agreement[] {
    const agreements: Agreement[] = []
    for (const path of this.#touched) {
      if (this.#busy.has(path)) continue
      // Until the scan finds a file, the disk is taken to hold what was agreed. If the log has come back to that, both
      // sides seem the same, and an agreement now would forget that the log counts here and what it has held since.
      if (this.trees.yields(path) && !hasFound(path)) continue
      this.#touched.delete(path)
      this.#unplan(path)
      if (!this.disk.isSkipped(path)) this.#decideOne(path, agreements)
    }
    return agreements
  }

  /** What cannot be sent now waits; or it gives way, if what is in its way will stay. */
  putOff(path: WorkspacePath): void {
    if (this.#stepAt(path).do !== 'receive') this.#touched.add(path)
    else {
      this.#unplan(path)
      this.#decideOne(path, [])
    }
  }

  isSecured(path: WorkspacePath, entry: FileEntry): boolean {
    return sameEntry(this.#secured.get(path) ?? null, entry)
  }

  /** Begins work on a path that was to be sent, kept or received. `sending` is what the log will have, if it is sent. */
  begin(path: WorkspacePath, sending?: Entry): void {
    this.#unplan(path)
    if (!this.#busy.has(path)) this.#countInside(path, 1)
    this.#busy.set(path, sending)
    this.disk.pin(path)
  }

  /** Ends work on a path: it is looked at again. */
  end(path: WorkspacePath): void {
    this.#rest(path)
    this.#touched.add(path)
    this.#unblock(path)
  }

  /** Ends work on a path that the disk could not take: it, or something in its way, is not what was thought. */
  block(path: WorkspacePath): void {
    this.#rest(path)
    this.#blocked.add(path)
  }

  isBlocked(path: WorkspacePath): boolean {
    return this.#blocked.has(path)
  }

  /** Lets a path that could not be written be tried again. */
  retry(path: WorkspacePath): void {
    if (this.#blocked.delete(path)) this.#touched.add(path)
  }

  #rest(path: WorkspacePath): void {
    if (this.#busy.delete(path)) this.#countInside(path, -1)
    this.disk.unpin(path)
  }

  /** Whether a path is busy that cannot exist together with a file at this path. */
  isBusyInTheWay(path: WorkspacePath): boolean {
    if (this.#busy.size === 0) return false
    if (this.#busyInside.has(path)) return true
    for (const folder of foldersOf(path)) if (this.#busy.has(folder)) return true
    return false
  }

  /** Whether a file waits to be sent that is where this path needs a folder. */
  isToSendAbove(path: WorkspacePath): boolean {
    if (this.toSend.size === 0) return false
    for (const folder of foldersOf(path)) if (this.toSend.has(folder)) return true
    return false
  }

  /** The log names this version of ours, so it can be restored. */
  secure(path: WorkspacePath, entry: FileEntry): void {
    this.#secured.set(path, entry)
  }

  #decideOne(path: WorkspacePath, agreements: Agreement[]): void {
    const { trees, disk } = this
    const here = disk.entry(path)
    const step = this.#stepAt(path)
    switch (step.do) {
      case 'agree':
        agreements.push(trees.agree(path, here))
        disk.tidy(path)
        this.#secured.delete(path)
        return
      case 'nothing':
        this.#secured.delete(path)
        return
      case 'send':
        if (here) this.toSend.add(path)
        else this.toDelete.add(path)
        return
      case 'receive':
        if (step.keep && here && !this.isSecured(path, here)) this.toKeep.add(path)
        else this.toReceive.add(path)
    }
  }

  /** Whether the log would accept what the disk has here, once these other files were deleted. */
  wouldCount(path: WorkspacePath, isGone: (other: WorkspacePath) => boolean): boolean {
    return this.trees.wouldCount(path, this.disk.entry(path), this.#us, isGone)
  }

  #stepAt(path: WorkspacePath): Step {
    const { trees, disk } = this
    const here = disk.entry(path)
    const place = {
      disk: here,
      log: trees.log(path),
      agreed: trees.agreed(path),
      since: trees.since(path),
      yields: trees.yields(path),
    }
    // A file in the way will be gone if it is gone here and the log would accept that.
    const isGone = (other: WorkspacePath) =>
      disk.entry(other) === null && !disk.isSkipped(other) && this.#stepAt(other).do === 'send'
    return reconcile(place, this.wins, () => this.wouldCount(path, isGone))
  }

  #countLeftOut(path: WorkspacePath): void {
    if (!this.trees.log(path)) this.#leftOut.delete(path)
    else {
      this.#leftOut.add(path)
      this.#onlyHere.delete(path)
    }
  }

  #unblock(path: WorkspacePath): void {
    for (const blocked of this.#blocked) {
      if (blocked !== path && !blocked.startsWith(`${path}/`) && !path.startsWith(`${blocked}/`)) continue
      this.#blocked.delete(blocked)
      this.#touched.add(blocked)
    }
  }

  #countInside(path: WorkspacePath, more: number): void {
    for (const folder of foldersOf(path)) {
      const count = (this.#busyInside.get(folder) ?? 0) + more
      if (count === 0) this.#busyInside.delete(folder)
      else this.#busyInside.set(folder, count)
    }
  }

  #unplan(path: WorkspacePath): void {
    this.toSend.delete(path)
    this.toDelete.delete(path)
    this.toKeep.delete(path)
    this.toReceive.delete(path)
  }
}

function* foldersOf(path: string): Generator<WorkspacePath> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    yield path.slice(0, end) as WorkspacePath
}
