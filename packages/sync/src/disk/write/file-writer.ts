import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Change, Changed } from '../../engine/disk-folder.ts'
import { entryAt } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import type { KnownFiles } from '../index/known-files.ts'
import { codeOf, systemCode } from '../workspace/system-code.ts'
import type { ApplyFolders } from './apply-folders.ts'
import { type Intent, looksOf, looksSame } from './apply-intents.ts'
import { isUnsupported, type Renames } from './exchange.ts'
import type { RescueGrace } from './rescue-grace.ts'
import { type Bytes, type Stage, type StagedFile, withMode } from './stage.ts'

/** A change that has been looked at and may be done. `old` is what was there then; `racy`: its looks prove nothing. */
export type Deed = {
  n: number
  is: 'put' | 'delete' | 'mode'
  change: Change
  disk: string
  at: string
  staged: StagedFile | null
  bytes: Bytes | null
  old: Stats | null
  racy: boolean
  /** How many folders down from the workspace it waits, if it could not wait in our own. */
  depth?: number
}

export type HandsNeed = {
  known: KnownFiles
  stage: Stage
  folders: ApplyFolders
  grace: RescueGrace
  renames: () => Renames
  note: (intents: Intent[]) => void
  unexpected: (path: Change['path']) => void
  /** This path holds what we wrote. To be said before anybody else can look at it again. */
  wrote: (path: Change['path']) => void
  /** Called between any two steps that a crash could come between. */
  step: (name: string) => void
}

export const intentOf = ({ n, is, change, at, staged, old, racy }: Deed): Intent => ({
  n,
  path: change.path,
  is,
  from: change.from,
  to: change.to,
  at,
  ino: staged?.stats.ino ?? 0,
  old: old && looksOf(old),
  racy,
})

const done: Changed = { is: 'done' }

/**
 * Gives files their names and takes them away. Between looking and renaming somebody else may write; so what a
 * rename took away is looked at again afterwards, and put back if it is not what was expected.
 */
export class ApplyHands {
  readonly #need: HandsNeed

  constructor(need: HandsNeed) {
    this.#need = need
  }

  /** Does it, or leaves everything as it was. */
  do(deed: Deed): Changed {
    try {
      if (deed.is === 'delete') return this.#delete(deed)
      if (deed.is === 'mode') return this.#setMode(deed)
      return deed.old ? this.#replace(deed) : this.#create(deed)
    } catch (error) {
      const isGone = deed.is === 'mode' && codeOf(error) === 'ENOENT'
      return isGone ? this.#changed(deed) : this.#failed(deed, systemCode(error))
    }
  }

  #create(deed: Deed): Changed {
    const { folders, renames, step } = this.#need
    if (!folders.isSafe(deed.change.path)) return this.#changed(deed)
    const trouble = renames().toFreeName(deed.staged!.file, deed.disk)
    step('created')
    if (trouble === null && !this.#isInPlace(deed)) return this.#takeBack(deed)
    if (trouble === null) return this.#placed(deed)
    if (trouble === 'EXDEV') return this.#besideTarget(deed)
    return trouble === 'EEXIST' ? this.#changed(deed) : this.#failed(deed, trouble)
  }

  /** Ours has gone into a folder that is another one by now, or, where none can be held, to where its name led. */
  #takeBack(deed: Deed): Changed {
    const { file, stats } = deed.staged!
    const there = lstatSync(deed.disk, { throwIfNoEntry: false })
    if (there && looksSame(there, stats)) renameSync(deed.disk, file)
    return this.#changed(deed)
  }

  #replace(deed: Deed): Changed {
    const { exchange } = this.#need.renames()
    if (!isUntouched(deed)) return this.#changed(deed)
    const held = deed.staged!.file
    const trouble = exchange ? exchange(held, deed.disk) : 'ENOSYS'
    if (isUnsupported(trouble)) return this.#replacePlainly(deed)
    this.#need.step('exchanged')
    if (trouble === 'EXDEV') return this.#besideTarget(deed)
    if (trouble === 'ENOENT') return this.#changed(deed)
    if (trouble !== null) return this.#failed(deed, trouble)
    const old = lstatSync(held)
    if (!this.#isExpected(deed, held, old) || !this.#isInPlace(deed)) return this.#giveBack(deed, old)
    this.#wait(deed, held, stampOf(old))
    return this.#placed(deed)
  }

  /**
   * Somebody wrote between our look and our exchange, or moved the folder. Their file goes back; if they have written
   * again meanwhile, so that something new comes out, that goes back too, until the newest has the name. An older one
   * waits for rescue.
   */
  #giveBack(deed: Deed, cameOut: Stats): Changed {
    const { exchange } = this.#need.renames()
    const { file, stats } = deed.staged!
    let put = stats
    let held = cameOut
    for (let tries = 0; tries < 20; tries++) {
      if (exchange!(file, deed.disk) !== null) break
      this.#need.step('given back')
      const got = lstatSync(file)
      if (looksSame(got, put)) {
        held = got
        break
      }
      put = held
      held = got
    }
    // Ours waits as well: it had the name for a moment, and somebody may have opened it.
    this.#wait(deed, file, looksSame(held, stats) ? stampOf(held) : 0)
    return this.#changed(deed, false)
  }

  /** Where names cannot be traded: the old file gets a second name first, so that its bytes outlive the rename. */
  #replacePlainly(deed: Deed): Changed {
    const { file } = deed.staged!
    const aside = `${file}.old`
    if (!deed.old!.isSymbolicLink()) linkAside(deed.disk, aside)
    const linked = lstatSync(deed.disk, { throwIfNoEntry: false })
    this.#need.step('linked aside')
    const now = lstatSync(deed.disk, { throwIfNoEntry: false })
    const isTouched = !linked || !now || stampOf(now) !== stampOf(linked)
    if (isTouched || !this.#isExpected(deed, deed.disk, now)) {
      rmSync(aside, { force: true })
      return this.#changed(deed)
    }
    try {
      renameSync(file, deed.disk)
    } catch (error) {
      rmSync(aside, { force: true })
      return codeOf(error) === 'EXDEV' ? this.#besideTarget(deed) : this.#failed(deed, codeOf(error))
    }
    this.#need.step('replaced')
    const old = lstatSync(aside, { throwIfNoEntry: false })
    if (old) this.#wait(deed, aside, looksSame(old, deed.old!) ? stampOf(old) : 0)
    return this.#placed(deed)
  }

  #delete(deed: Deed): Changed {
    const { path } = deed.change
    const held = `${this.#need.stage.file(deed.at)}.old`
    if (!isUntouched(deed)) return this.#changed(deed)
    try {
      renameSync(deed.disk, held)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EXDEV') return this.#besideTarget(deed)
      return code === 'ENOENT' ? this.#changed(deed) : this.#failed(deed, code)
    }
    this.#need.step('taken away')
    const old = lstatSync(held)
    if (!this.#isExpected(deed, held, old) || !this.#isInPlace(deed)) {
      const trouble = this.#need.renames().toFreeName(held, deed.disk)
      this.#need.step('given back')
      if (trouble !== null) this.#wait(deed, held, 0)
      return this.#changed(deed)
    }
    this.#wait(deed, held, stampOf(old))
    this.#need.known.delete(path)
    this.#need.wrote(path)
    this.#need.folders.tookOut(path)
    return done
  }

  #setMode(deed: Deed): Changed {
    const { path, to } = deed.change
    const handle = openSync(deed.disk, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      if (!looksSame(fstatSync(handle), deed.old!)) return this.#changed(deed)
      fchmodSync(handle, withMode(deed.old!.mode, to!.mode))
      this.#need.step('mode set')
      if (!this.#isInPlace(deed)) {
        fchmodSync(handle, deed.old!.mode & 0o7777)
        return this.#changed(deed)
      }
      const now = fstatSync(handle)
      const isSame = !deed.racy && looksSame({ ...looksOf(now), mode: deed.old!.mode }, deed.old!)
      this.#need.known.set(path, { entry: plain(to!), stamp: isSame ? stampOf(now) : 0, size: now.size })
      this.#need.wrote(path)
      if (!isSame) this.#need.unexpected(path)
      return done
    } finally {
      closeSync(handle)
    }
  }

  /**
   * The target is on another file system, mounted into the workspace: what waits for it has to wait there. As far up
   * as possible, for the target's own folder may be about to be removed.
   */
  #besideTarget(deed: Deed): Changed {
    const { known, stage, note } = this.#need
    const parts = known.onDisk(deed.change.path).split('/').slice(0, -1)
    const depth = (deed.depth ?? 0) + 1
    if (depth > parts.length) return this.#failed(deed, 'EXDEV')
    const folder = parts.slice(0, depth).join('/')
    let again: Deed = { ...deed, depth }
    if (deed.is === 'delete') again.at = stage.newPlace(folder)
    else {
      const staged = stage.make(deed.bytes!, deed.change.to!.mode, deed.old && deed.old.mode & 0o777, folder)
      const bytes = 'staged' in deed.bytes! ? { staged: { name: staged.at } } : deed.bytes
      again = { ...again, staged, bytes, at: staged.at }
      rmSync(deed.staged!.file, { force: true })
    }
    note([intentOf(again)])
    return this.do(again)
  }

  #isExpected({ old, racy, change }: Deed, file: string, now: Stats): boolean {
    if (!old || !looksSame(now, old)) return false
    return !racy || entryAt(file)?.hash === change.from!.hash
  }

  /** A folder that was moved away takes its files along, and those are no longer what this change is about. */
  #isInPlace({ change }: Deed): boolean {
    return this.#need.folders.isStill(change.path)
  }

  #placed(deed: Deed): Changed {
    const { path, to } = deed.change
    const ours = deed.staged!.stats
    const now = lstatSync(deed.disk, { throwIfNoEntry: false })
    const isOurs = now !== undefined && looksSame(now, ours)
    this.#need.known.set(path, { entry: plain(to!), stamp: isOurs ? stampOf(now) : 0, size: ours.size })
    this.#need.wrote(path)
    // Somebody was quicker than our look: ours was there, and theirs is on top of it.
    if (!isOurs) this.#need.unexpected(path)
    return done
  }

  #drop(deed: Deed): void {
    const now = deed.staged && lstatSync(deed.staged.file, { throwIfNoEntry: false })
    if (!now) return
    // After an exchange it is somebody's file that waits under this name.
    if (now.ino === deed.staged!.stats.ino) rmSync(deed.staged!.file, { force: true })
    else this.#wait(deed, deed.staged!.file, 0)
  }

  #wait({ n, change: { path, from, to } }: Deed, file: string, stamp: number): void {
    this.#need.grace.add({ n, file, path, from, to, stamp, sinceMs: Date.now() })
  }

  #changed(deed: Deed, dropStaged = true): Changed {
    if (dropStaged) this.#drop(deed)
    this.#need.folders.gaveUp(deed.change.path)
    this.#need.unexpected(deed.change.path)
    return { is: 'changed' }
  }

  #failed(deed: Deed, code: string): Changed {
    this.#drop(deed)
    this.#need.folders.gaveUp(deed.change.path)
    return { is: 'failed', why: `the system says ${code}`, code }
  }
}

/** Asked last of all: a rename changes the one time that nobody can set back. */
function isUntouched({ disk, old }: Deed): boolean {
  const now = lstatSync(disk, { throwIfNoEntry: false })
  return now !== undefined && stampOf(now) === stampOf(old!)
}

const plain = ({ mode, hash }: FileEntry): FileEntry => ({ mode, hash })

function linkAside(file: string, aside: string): void {
  try {
    linkSync(file, aside)
  } catch {
    // Not every file system has second names. Then a write in the next microseconds is lost, as with any rename.
  }
}
