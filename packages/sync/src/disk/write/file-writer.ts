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
import { type Intent, identityOf, sameIdentity } from './apply-intents.ts'
import { isUnsupported, type Renames } from './renames.ts'
import type { RescueGrace } from './rescue-grace.ts'
import { type Bytes, type Stage, type StagedFile, withMode } from './stage.ts'

/** A change that has been looked at and may be done. `old` is what was there then; `racy`: its looks prove nothing. */
export type PreparedChange = {
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

export type FileWriterParts = {
  known: KnownFiles
  stage: Stage
  folders: ApplyFolders
  grace: RescueGrace
  renames: () => Renames
  note: (intents: Intent[]) => void
  unexpected: (path: Change['path']) => void
  /** This path holds what we wrote. To be called before the scan can look at it again. */
  wrote: (path: Change['path']) => void
  /** Called between any two steps that a crash could come between. */
  step: (name: string) => void
}

export const intentOf = ({ n, is, change, at, staged, old, racy }: PreparedChange): Intent => ({
  n,
  path: change.path,
  is,
  from: change.from,
  to: change.to,
  at,
  ino: staged?.stats.ino ?? 0,
  old: old && identityOf(old),
  racy,
})

const done: Changed = { is: 'done' }

/**
 * Gives files their names and takes them away. Between looking and renaming another program may write; so what a
 * rename took away is looked at again afterwards, and put back if it is not what was expected.
 */
export class FileWriter {
  readonly #parts: FileWriterParts

  constructor(parts: FileWriterParts) {
    this.#parts = parts
  }

  /** Does it, or leaves everything as it was. */
  do(prepared: PreparedChange): Changed {
    try {
      if (prepared.is === 'delete') return this.#delete(prepared)
      if (prepared.is === 'mode') return this.#setMode(prepared)
      return prepared.old ? this.#replace(prepared) : this.#create(prepared)
    } catch (error) {
      const isGone = prepared.is === 'mode' && codeOf(error) === 'ENOENT'
      return isGone ? this.#changed(prepared) : this.#failed(prepared, systemCode(error))
    }
  }

  #create(prepared: PreparedChange): Changed {
    const { folders, renames, step } = this.#parts
    if (!folders.isSafe(prepared.change.path)) return this.#changed(prepared)
    const trouble = renames().toFreeName(prepared.staged!.file, prepared.disk)
    step('created')
    if (trouble === null && !this.#isInPlace(prepared)) return this.#takeBack(prepared)
    if (trouble === null) return this.#placed(prepared)
    if (trouble === 'EXDEV') return this.#besideTarget(prepared)
    return trouble === 'EEXIST' ? this.#changed(prepared) : this.#failed(prepared, trouble)
  }

  /** Ours has gone into a folder that is another one by now, or, where none can be held, to where its name led. */
  #takeBack(prepared: PreparedChange): Changed {
    const { file, stats } = prepared.staged!
    const there = lstatSync(prepared.disk, { throwIfNoEntry: false })
    if (there && sameIdentity(there, stats)) renameSync(prepared.disk, file)
    return this.#changed(prepared)
  }

  #replace(prepared: PreparedChange): Changed {
    const { exchange } = this.#parts.renames()
    if (!isUntouched(prepared)) return this.#changed(prepared)
    const held = prepared.staged!.file
    const trouble = exchange ? exchange(held, prepared.disk) : 'ENOSYS'
    if (isUnsupported(trouble)) return this.#replacePlainly(prepared)
    this.#parts.step('exchanged')
    if (trouble === 'EXDEV') return this.#besideTarget(prepared)
    if (trouble === 'ENOENT') return this.#changed(prepared)
    if (trouble !== null) return this.#failed(prepared, trouble)
    const old = lstatSync(held)
    if (!this.#isExpected(prepared, held, old) || !this.#isInPlace(prepared))
      return this.#giveBack(prepared, old)
    this.#wait(prepared, held, stampOf(old))
    return this.#placed(prepared)
  }

  /**
   * Another program wrote between our look and our exchange, or moved the folder. Its file goes back; if it has written
   * again meanwhile, so that something new comes out, that goes back too, until the newest has the name. An older one
   * waits for rescue.
   */
  #giveBack(prepared: PreparedChange, cameOut: Stats): Changed {
    const { exchange } = this.#parts.renames()
    const { file, stats } = prepared.staged!
    let put = stats
    let held = cameOut
    for (let tries = 0; tries < 20; tries++) {
      if (exchange!(file, prepared.disk) !== null) break
      this.#parts.step('given back')
      const got = lstatSync(file)
      if (sameIdentity(got, put)) {
        held = got
        break
      }
      put = held
      held = got
    }
    // Ours waits as well: it had the name for a moment, and a program may have opened it.
    this.#wait(prepared, file, sameIdentity(held, stats) ? stampOf(held) : 0)
    return this.#changed(prepared, false)
  }

  /** Where names cannot be traded: the old file gets a second name first, so that its bytes outlive the rename. */
  #replacePlainly(prepared: PreparedChange): Changed {
    const { file } = prepared.staged!
    const aside = `${file}.old`
    if (!prepared.old!.isSymbolicLink()) linkAside(prepared.disk, aside)
    const linked = lstatSync(prepared.disk, { throwIfNoEntry: false })
    this.#parts.step('linked aside')
    const now = lstatSync(prepared.disk, { throwIfNoEntry: false })
    const isTouched = !linked || !now || stampOf(now) !== stampOf(linked)
    if (isTouched || !this.#isExpected(prepared, prepared.disk, now)) {
      rmSync(aside, { force: true })
      return this.#changed(prepared)
    }
    try {
      renameSync(file, prepared.disk)
    } catch (error) {
      rmSync(aside, { force: true })
      return codeOf(error) === 'EXDEV' ? this.#besideTarget(prepared) : this.#failed(prepared, codeOf(error))
    }
    this.#parts.step('replaced')
    const old = lstatSync(aside, { throwIfNoEntry: false })
    if (old) this.#wait(prepared, aside, sameIdentity(old, prepared.old!) ? stampOf(old) : 0)
    return this.#placed(prepared)
  }

  #delete(prepared: PreparedChange): Changed {
    const { path } = prepared.change
    const held = `${this.#parts.stage.file(prepared.at)}.old`
    if (!isUntouched(prepared)) return this.#changed(prepared)
    try {
      renameSync(prepared.disk, held)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EXDEV') return this.#besideTarget(prepared)
      return code === 'ENOENT' ? this.#changed(prepared) : this.#failed(prepared, code)
    }
    this.#parts.step('taken away')
    const old = lstatSync(held)
    if (!this.#isExpected(prepared, held, old) || !this.#isInPlace(prepared)) {
      const trouble = this.#parts.renames().toFreeName(held, prepared.disk)
      this.#parts.step('given back')
      if (trouble !== null) this.#wait(prepared, held, 0)
      return this.#changed(prepared)
    }
    this.#wait(prepared, held, stampOf(old))
    this.#parts.known.delete(path)
    this.#parts.wrote(path)
    this.#parts.folders.tookOut(path)
    return done
  }

  #setMode(prepared: PreparedChange): Changed {
    const { path, to } = prepared.change
    const handle = openSync(prepared.disk, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      if (!sameIdentity(fstatSync(handle), prepared.old!)) return this.#changed(prepared)
      fchmodSync(handle, withMode(prepared.old!.mode, to!.mode))
      this.#parts.step('mode set')
      if (!this.#isInPlace(prepared)) {
        fchmodSync(handle, prepared.old!.mode & 0o7777)
        return this.#changed(prepared)
      }
      const now = fstatSync(handle)
      const isSame =
        !prepared.racy && sameIdentity({ ...identityOf(now), mode: prepared.old!.mode }, prepared.old!)
      this.#parts.known.set(path, { entry: plain(to!), stamp: isSame ? stampOf(now) : 0, size: now.size })
      this.#parts.wrote(path)
      if (!isSame) this.#parts.unexpected(path)
      return done
    } finally {
      closeSync(handle)
    }
  }

  /**
   * The target is on another file system, mounted into the workspace: what waits for it has to wait there. As far up
   * as possible, for the target's own folder may be about to be removed.
   */
  #besideTarget(prepared: PreparedChange): Changed {
    const { known, stage, note } = this.#parts
    const parts = known.onDisk(prepared.change.path).split('/').slice(0, -1)
    const depth = (prepared.depth ?? 0) + 1
    if (depth > parts.length) return this.#failed(prepared, 'EXDEV')
    const folder = parts.slice(0, depth).join('/')
    let again: PreparedChange = { ...prepared, depth }
    if (prepared.is === 'delete') again.at = stage.newPlace(folder)
    else {
      const staged = stage.make(
        prepared.bytes!,
        prepared.change.to!.mode,
        prepared.old && prepared.old.mode & 0o777,
        folder,
      )
      const bytes = 'staged' in prepared.bytes! ? { staged: { name: staged.at } } : prepared.bytes
      again = { ...again, staged, bytes, at: staged.at }
      rmSync(prepared.staged!.file, { force: true })
    }
    note([intentOf(again)])
    return this.do(again)
  }

  #isExpected({ old, racy, change }: PreparedChange, file: string, now: Stats): boolean {
    if (!old || !sameIdentity(now, old)) return false
    return !racy || entryAt(file)?.hash === change.from!.hash
  }

  /** A folder that was moved away takes its files along, and those are no longer what this change is about. */
  #isInPlace({ change }: PreparedChange): boolean {
    return this.#parts.folders.isStill(change.path)
  }

  #placed(prepared: PreparedChange): Changed {
    const { path, to } = prepared.change
    const ours = prepared.staged!.stats
    const now = lstatSync(prepared.disk, { throwIfNoEntry: false })
    const isOurs = now !== undefined && sameIdentity(now, ours)
    this.#parts.known.set(path, { entry: plain(to!), stamp: isOurs ? stampOf(now) : 0, size: ours.size })
    this.#parts.wrote(path)
    // Another program wrote before our look: ours was there, and its version replaced it.
    if (!isOurs) this.#parts.unexpected(path)
    return done
  }

  #drop(prepared: PreparedChange): void {
    const now = prepared.staged && lstatSync(prepared.staged.file, { throwIfNoEntry: false })
    if (!now) return
    // After an exchange the file under this name belongs to the user.
    if (now.ino === prepared.staged!.stats.ino) rmSync(prepared.staged!.file, { force: true })
    else this.#wait(prepared, prepared.staged!.file, 0)
  }

  #wait({ n, change: { path, from, to } }: PreparedChange, file: string, stamp: number): void {
    this.#parts.grace.add({ n, file, path, from, to, stamp, sinceMs: Date.now() })
  }

  #changed(prepared: PreparedChange, dropStaged = true): Changed {
    if (dropStaged) this.#drop(prepared)
    this.#parts.folders.gaveUp(prepared.change.path)
    this.#parts.unexpected(prepared.change.path)
    return { is: 'changed' }
  }

  #failed(prepared: PreparedChange, code: string): Changed {
    this.#drop(prepared)
    this.#parts.folders.gaveUp(prepared.change.path)
    return { is: 'failed', why: `the system says ${code}`, code }
  }
}

/** Checked last of all: a rename changes the ctime, which cannot be set back. */
function isUntouched({ disk, old }: PreparedChange): boolean {
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
