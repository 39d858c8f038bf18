import { lstatSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sameEntry } from '@farhand/protocol/files/path-history'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change, Changed, PatchToMake, Rescued, SkipReason, Staged } from '../../engine/disk-folder.ts'
import { readSmallFile } from '../../state/read-small-file.ts'
import { assembleFile } from '../content/assemble-file.ts'
import { type FoundThere, RepositoryGuard } from '../git/repository-guard.ts'
import { entryAt, hashOf, modeOf } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import type { KnownFiles } from '../index/known-files.ts'
import { summedContents } from '../index/summed-contents.ts'
import { HeldFolders } from '../workspace/held-folders.ts'
import { isOwnPath } from '../workspace/never-synced.ts'
import { systemCode } from '../workspace/system-code.ts'
import { ApplyFolders } from './apply-folders.ts'
import { ApplyIntents, sameIdentity } from './apply-intents.ts'
import { FileWriter, intentOf, type PreparedChange } from './file-writer.ts'
import { type LeftBehind, recoverLeftBehind } from './recover-left-behind.ts'
import { type Renames, systemRenames } from './renames.ts'
import { RescueGrace } from './rescue-grace.ts'
import { RescuedFiles } from './rescued-files.ts'
import { type Bytes, Stage } from './stage.ts'

export type ApplierOptions = {
  root: string
  known: KnownFiles
  /** Why a path is not synced, by the rules or by what was last seen there; null if it is. */
  skipReason: (path: WorkspacePath) => SkipReason | null
  /** The disk holds something else here than was known: it should be looked at again. */
  unexpected: (path: WorkspacePath) => void
  /** Called right after the write: a content that is found here from now on was written later by another program. */
  wrote?: (path: WorkspacePath) => void
  /** Whether a folder may become what git takes for a repository: only where nothing but the run itself works. */
  mayMakeRepositories?: boolean | undefined
  renames?: () => Renames
  graceMs?: number
  /** For tests: as on systems where no folder can be held. */
  holdsFolders?: boolean
  step?: (name: string) => void
}

const sliceMs = 6
const sliceFiles = 64
const sliceBytes = 2 * 1024 * 1024
const sliceFolders = 128

/**
 * Changes the files of the folder, each one atomically or not at all, and never loses a version that another program wrote
 * at the same moment. For one thread; one `applying` at a time.
 */
export class Applier {
  readonly #given: ApplierOptions
  readonly #stage: Stage
  readonly #folders: ApplyFolders
  readonly #rescued: RescuedFiles
  readonly #grace: RescueGrace
  readonly #writer: FileWriter
  readonly #guard: RepositoryGuard | null
  readonly #ends: number[] = []
  readonly #step: (name: string) => void
  #intents: ApplyIntents | null = null
  #before: LeftBehind | null = null
  #isCaseless: boolean | undefined
  #n = 0
  #settledBatches = 0
  #settled = 0

  constructor(given: ApplierOptions) {
    const { root, known, unexpected, wrote = () => {}, renames = systemRenames, graceMs = 2000 } = given
    this.#given = given
    this.#step = given.step ?? (() => {})
    this.#guard = given.mayMakeRepositories ? null : new RepositoryGuard((path) => foundAt(join(root, path)))
    this.#stage = new Stage(root, given.holdsFolders)
    this.#folders = new ApplyFolders(new HeldFolders(root, given.holdsFolders), known, () => this.#caseless())
    this.#rescued = new RescuedFiles(root, given.holdsFolders)
    this.#grace = new RescueGrace(this.#rescued, graceMs)
    this.#writer = new FileWriter({
      known,
      stage: this.#stage,
      folders: this.#folders,
      grace: this.#grace,
      renames,
      note: (intents) => this.#notes().add(intents),
      unexpected,
      wrote,
      step: this.#step,
    })
  }

  /**
   * What earlier processes did and could not save. To be called before anything is applied: it also puts back or rescues
   * what a crash left between two steps, and deletes the rest.
   */
  leftBehind(): LeftBehind['done'] {
    this.#before ??= recoverLeftBehind(this.#given.root, this.#rescued, this.#given.renames ?? systemRenames)
    this.#rescued.load()
    return this.#before.done
  }

  /** Everything at once; `applying` is the same in slices. */
  apply(changes: readonly Change[]): Changed[] {
    const going = this.applying(changes)
    for (;;) {
      const { done, value } = going.next()
      if (done) return value
    }
  }

  /** Does the changes, deletions first, and pauses every few milliseconds. One answer each, in the order asked. */
  *applying(changes: readonly Change[]): Generator<undefined, Changed[]> {
    const answers = new Array<Changed>(changes.length)
    const deletions = changes.flatMap((change, at) => (change.to === null ? [at] : []))
    const puts = changes.flatMap((change, at) => (change.to === null ? [] : [at]))
    for (const order of [deletions, puts]) {
      for (let from = 0; from < order.length; ) {
        from = this.#slice(changes, order, from, answers)
        // Held for one slice only: what becomes of their names meanwhile is seen by the next.
        this.#folders.forget()
        // The last files and the folders they leave empty go in one turn.
        if (from < order.length || (order === deletions && puts.length > 0)) yield
      }
    }
    this.#folders.sweep()
    this.#folders.forget()
    this.#ends.push(this.#n)
    return answers
  }

  /** Bytes for a later change that are too many to be held in memory; used up by that change, however it goes. */
  openStaged(): Staged {
    return this.#stage.openStream()
  }

  /** When it throws, what was staged is gone. */
  stageChunk(staged: Staged, chunk: Uint8Array): void {
    this.#stage.add(staged, chunk)
  }

  /** What a patch makes of a file that is there; null if it is not what it should be (W35). */
  async stagePatched(base: string, made: PatchToMake): Promise<Staged | null> {
    const staged = this.#stage.openStream()
    let isRight = false
    try {
      isRight = await assembleFile(base, this.#stage.handle(staged), made, summedContents)
      if (isRight) this.#stage.endStream(staged)
    } finally {
      if (!isRight) this.#stage.drop(staged)
    }
    return isRight ? staged : null
  }

  closeStaged(staged: Staged): void {
    this.#stage.endStream(staged)
  }

  /** What was staged, as text; null if it is larger than that. */
  stagedText(staged: Staged, mostBytes: number): string | null {
    return readSmallFile(this.#stage.file(staged.name), mostBytes)
  }

  dropStaged(staged: Staged): void {
    this.#stage.drop(staged)
  }

  /** The results of the first so many batches are saved by the engine, and those of `leftBehind` too. */
  settled(batches = this.#settledBatches + this.#ends.length): void {
    this.#before?.forget()
    while (this.#settledBatches < batches && this.#ends.length > 0) {
      this.#settled = this.#ends.shift()!
      this.#settledBatches++
    }
    this.#intents?.settle(this.#settled)
  }

  /**
   * Lets go of replaced files after their grace time. Says in how many milliseconds it should be called again; null:
   * not before the next `settled`.
   */
  sweep(nowMs = Date.now()): number | null {
    const next = this.#grace.sweep(nowMs, this.#settled)
    this.#intents?.tidy(this.#grace)
    return next
  }

  /** Versions that were rescued since it was last asked. They stay on the disk until they are released. */
  rescued(): Rescued[] {
    return this.#rescued.news()
  }

  release(ids: readonly string[]): void {
    this.#rescued.release(ids)
  }

  close(): void {
    this.sweep()
    const hadIntents = this.#intents !== null
    this.#closeIntents()
    this.#grace.close()
    const isAllNoted = this.#grace.isEmpty && this.#settled >= this.#n
    this.#stage.close(hadIntents && isAllNoted ? ['intents'] : null)
  }

  /** Prepares as many as fit into a slice, writes down what is about to happen, and does it. */
  #slice(changes: readonly Change[], order: number[], from: number, answers: Changed[]): number {
    const start = performance.now()
    const batch: { at: number; prepared: PreparedChange }[] = []
    let bytes = 0
    let next = from
    if (this.#stage.isLost()) this.#closeIntents()
    this.#guard?.forget()
    while (next < order.length && batch.length < sliceFiles && bytes < sliceBytes) {
      if (next > from && performance.now() - start > sliceMs) break
      if (next > from && this.#folders.count > sliceFolders) break
      const at = order[next++]!
      const change = changes[at]!
      const prepared = this.#prepare(change)
      if (!('n' in prepared)) {
        this.#giveUp(change)
        answers[at] = prepared
      } else {
        batch.push({ at, prepared })
        bytes += change.content?.length ?? 0
      }
    }
    this.#step('staged')
    try {
      this.#notes().add(batch.map(({ prepared }) => intentOf(prepared)))
    } catch (error) {
      for (const { at, prepared } of batch) {
        if (prepared.staged) rmSync(prepared.staged.file, { force: true })
        this.#folders.gaveUp(prepared.change.path)
        answers[at] = failed(error)
      }
      return next
    }
    this.#step('intended')
    for (const { at, prepared } of batch) answers[at] = this.#writer.do(prepared)
    return next
  }

  #prepare(change: Change): PreparedChange | Changed {
    try {
      return this.#lookAndStage(change)
    } catch (error) {
      return failed(error)
    }
  }

  #lookAndStage(change: Change): PreparedChange | Changed {
    const { path, from, to } = change
    if (pathProblem(path) || isOwnPath(path)) return { is: 'skipped', why: 'bad-name' }
    const known = this.#given.known.get(path)
    if (!sameEntry(known?.entry ?? null, from)) return this.#unexpected(path)
    // Before its folders are made: they alone may complete one.
    if (to !== null && this.#guard?.holds(path)) return { is: 'skipped', why: 'repository' }
    const way = this.#way(path, to === null)
    if (way) return way
    const disk = this.#folders.place(path)
    const isFree = from === null && this.#folders.isFresh(path)
    const old = isFree ? null : (lstatSync(disk, { throwIfNoEntry: false }) ?? null)
    if (from === null) {
      const inTheWay = to === null ? null : this.#inTheWay(path, old)
      if (inTheWay) return inTheWay
      if (to === null) return { is: 'done' }
    } else if (!old) return this.#unexpected(path)
    const racy = from !== null && known!.stamp === 0
    if (from !== null && !this.#isStill(known!.stamp, disk, old!, change)) return this.#unexpected(path)
    return this.#stageChange(change, disk, from === null ? null : old, racy)
  }

  #stageChange(change: Change, disk: string, old: Stats | null, racy: boolean): PreparedChange | Changed {
    const { from, to } = change
    const n = ++this.#n
    if (to === null || isModeOnly(change)) {
      const at = this.#stage.newPlace(null)
      const is = to === null ? 'delete' : 'mode'
      return { n, is, change, disk, at, staged: null, bytes: null, old, racy }
    }
    const bytes = this.#bytesOf(change)
    if (!bytes) return { is: 'failed', why: 'the content does not match its hash' }
    const like = old?.isFile() && from?.mode !== '120000' ? old.mode & 0o777 : null
    const staged = this.#stage.make(bytes, to.mode, like, null)
    return { n, is: 'put', change, disk, at: staged.at, staged, bytes, old, racy }
  }

  #bytesOf({ to, content, staged }: Change): Bytes | null {
    if (staged && to!.mode !== '120000') return { staged }
    const bytes = staged ? this.#stage.read(staged) : content
    if (!bytes || hashOf(bytes) !== to!.hash) return null
    if (staged) this.#stage.drop(staged)
    return { content: bytes }
  }

  /** Why the folder of a path cannot be reached without leaving the workspace or passing something that is not synced. */
  #way(path: WorkspacePath, isDeletion: boolean): Changed | null {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (isDeletion) return this.#folders.isReachable(above) ? null : this.#unexpected(path)
    const inTheWay = this.#folders.make(above)
    if (!inTheWay) return null
    if (inTheWay.is === 'known') {
      this.#given.unexpected(inTheWay.path as WorkspacePath)
      return this.#unexpected(path)
    }
    return { is: 'skipped', why: inTheWay.is }
  }

  /** Why nothing may be created here. A folder may give way if nothing is left in it. */
  #inTheWay(path: WorkspacePath, old: Stats | null): Changed | null {
    const reason = this.#given.skipReason(path)
    if (!old) return reason && { is: 'skipped', why: reason }
    if (this.#folders.isClash(path)) return { is: 'skipped', why: 'clash' }
    if (old.isDirectory()) {
      if (this.#folders.clear(path)) return null
      if (this.#given.known.folder(path)) return this.#unexpected(path)
      return { is: 'skipped', why: 'in-the-way' }
    }
    if (reason || !(old.isFile() || old.isSymbolicLink())) return { is: 'skipped', why: 'in-the-way' }
    return this.#unexpected(path)
  }

  #isStill(stamp: number, disk: string, old: Stats, { from }: Change): boolean {
    if (stamp !== 0) return stampOf(old) === stamp
    return modeOf(old) === from!.mode && entryAt(disk)?.hash === from!.hash
  }

  #unexpected(path: WorkspacePath): Changed {
    this.#given.unexpected(path)
    return { is: 'changed' }
  }

  #giveUp({ path, staged }: Change): void {
    if (staged) this.#stage.drop(staged)
    this.#folders.gaveUp(path)
  }

  #notes(): ApplyIntents {
    this.#intents ??= new ApplyIntents(this.#stage.place())
    return this.#intents
  }

  #closeIntents(): void {
    this.#intents?.close()
    this.#intents = null
  }

  #caseless(): boolean {
    if (this.#isCaseless === undefined) {
      const probe = this.#stage.file(this.#stage.newPlace(null))
      writeFileSync(`${probe}-a`, '', { flag: 'wx' })
      const small = lstatSync(`${probe}-a`)
      const large = lstatSync(`${probe}-A`, { throwIfNoEntry: false })
      rmSync(`${probe}-a`)
      this.#isCaseless = large !== undefined && sameIdentity(small, large)
    }
    return this.#isCaseless
  }
}

function foundAt(place: string): FoundThere {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (!stats) return null
    return stats.isDirectory() ? 'folder' : 'file'
  } catch {
    // Something else is where its folder should be: that is found out when the folder is made.
    return null
  }
}

const isModeOnly = ({ from, to }: Change) =>
  from !== null && from.hash === to!.hash && from.mode !== '120000' && to!.mode !== '120000'

function failed(error: unknown): Changed {
  return { is: 'failed', why: (error as Error).message, code: systemCode(error) }
}
