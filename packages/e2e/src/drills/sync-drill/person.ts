import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { systemRenames } from '@farhand/sync/disk/write/renames'
import type { Dice } from '@farhand/testkit/dice'
import { hashOf, treeOf } from '../../files/folder-tree.ts'
import type { UserChange, Word } from './user-changes.ts'

const names = ['a', 'b', 'c', 'd', 'e'] as const
const folders = ['', 'f/', 'g/', 'f/h/', 'a/', 'f/b/'] as const

/**
 * A person who edits files in a linked folder, and remembers every change. All contents are unique. The version that a change
 * replaces is read where the sync engine does not write: from an open file, or after it was moved aside.
 */
export class Person {
  readonly changes: UserChange[] = []
  readonly #name: string
  readonly #root: string
  readonly #aside: string
  readonly #dice: Dice
  readonly #usesGit: boolean
  #written = 0

  constructor(name: string, root: string, aside: string, dice: Dice, { usesGit = false } = {}) {
    this.#usesGit = usesGit
    this.#name = name
    this.#root = root
    this.#aside = aside
    this.#dice = dice
    mkdirSync(aside)
  }

  /** Does one thing, or nothing if the engine has put something in its way. */
  act(): void {
    const dice = this.#dice
    const act = dice.pick([
      () => this.#save(this.#path()),
      () => this.#save(this.#path()),
      () => this.#overwrite(this.#path()),
      () => this.#overwrite(this.#path()),
      () => this.#append(this.#path()),
      () => this.#delete(this.#path()),
      () => this.#rename(this.#path(), this.#path()),
      () => this.#renameFolder(dice.pick(['f', 'g', 'a', 'f/h']), dice.pick(['g', 'f/b', 'a', 'moved'])),
      () => this.#fileToFolder(this.#path()),
      () => this.#folderToFile(dice.pick(['g', 'a', 'f/h'])),
      () => this.#setExec(this.#path()),
      () => this.#touch(this.#path()),
    ])
    if (this.#usesGit && dice.chance(0.05)) this.#lockGit()
    else if (dice.chance(0.3)) this.rest()
    if (dice.chance(0.02)) this.#burst()
    else act()
  }

  /** Leaves nothing behind that would keep the engine waiting. */
  rest(): void {
    rmSync(this.#at('.git/index.lock'), { force: true })
  }

  /** As git does while it changes many files. */
  #lockGit(): void {
    mkdirSync(this.#at('.git'), { recursive: true })
    writeFileSync(this.#at('.git/index.lock'), '')
  }

  #path(): string {
    return `${this.#dice.pick(folders)}${this.#dice.pick(names)}`
  }

  #content(): Buffer {
    const sizes = [20, 20, 20, 200, 5000, 150_000, 600_000, 1_200_000] as const
    const size = this.#dice.chance(0.1) ? this.#dice.pick(sizes) : 30
    return Buffer.from(`${this.#name} ${++this.#written} `.padEnd(size, '.'))
  }

  #note(path: string, saw: Word, left: Word, adrift = false): void {
    this.changes.push({ path, saw, left, adrift })
  }

  #burst(): void {
    const folder = `burst/${this.#name}-${this.#dice.between(1, 5)}`
    for (let n = 0; n < 50; n++) this.#save(`${folder}/${n}`)
  }

  /** Writes a new file and gives it its name in one step, as careful programs do. */
  #save(path: string): void {
    const content = this.#content()
    const draft = this.#newPlace()
    writeFileSync(draft, content)
    const saw = this.#makeRoom(path) ? this.#giveName(draft, path) : undefined
    if (saw !== undefined) this.#note(path, saw, `100644 ${hashOf(content)}`)
    rmSync(draft, { recursive: true, force: true })
  }

  /** What it took the place of; undefined if it could not. */
  #giveName(draft: string, path: string): Word | undefined {
    const { exchange, toFreeName } = systemRenames()
    if (toFreeName(draft, this.#at(path)) === null) return null
    if (!statsOf(this.#at(path))?.isFile() || exchange?.(draft, this.#at(path)) !== null) return undefined
    if (!lstatSync(draft).isDirectory()) return wordOf(draft)
    // A folder had come in between: it is put back, and nothing has happened.
    exchange(draft, this.#at(path))
    return undefined
  }

  #overwrite(path: string): void {
    const content = this.#content()
    this.#through(path, (handle) => {
      ftruncateSync(handle, 0)
      writeSync(handle, content, 0, content.length, 0)
    })
  }

  #append(path: string): void {
    const more = this.#content()
    this.#through(path, (handle) => writeSync(handle, more, 0, more.length, fstatSync(handle).size))
  }

  #setExec(path: string): void {
    this.#through(path, (handle) => fchmodSync(handle, fstatSync(handle).mode & 0o100 ? 0o644 : 0o755))
  }

  /** Sets a new time and nothing else: the sync engine must not send or overwrite anything because of it. */
  #touch(path: string): void {
    try {
      if (statsOf(this.#at(path))?.isFile()) utimesSync(this.#at(path), new Date(), new Date())
    } catch {
      // It has gone in between.
    }
  }

  /** Changes the file that has this name now, even if it has another name in a moment. */
  #through(path: string, change: (handle: number) => unknown): void {
    if (!statsOf(this.#at(path))?.isFile()) return
    let handle: number
    try {
      handle = openSync(this.#at(path), 'r+')
    } catch {
      return
    }
    try {
      const saw = wordOf(handle)
      change(handle)
      const left = wordOf(handle)
      const isHere = statsOf(this.#at(path))?.ino === fstatSync(handle).ino
      this.#note(path, saw, left, !isHere)
    } finally {
      closeSync(handle)
    }
  }

  #delete(path: string): string | null {
    const place = this.#newPlace()
    try {
      if (!lstatSync(this.#at(path)).isFile()) return null
      renameSync(this.#at(path), place)
    } catch {
      return null
    }
    if (lstatSync(place).isDirectory()) {
      this.#noteGone(path, place)
      rmSync(place, { recursive: true })
      return null
    }
    this.#note(path, wordOf(place), null)
    return place
  }

  #rename(from: string, to: string): void {
    const place = this.#delete(from)
    if (!place || !this.#makeRoom(to)) return
    const left = wordOf(place)
    if (systemRenames().toFreeName(place, this.#at(to)) === null) this.#note(to, null, left)
  }

  #renameFolder(from: string, to: string): void {
    const place = this.#takeFolder(from)
    if (!place || to.startsWith(`${from}/`)) return
    const found = treeOf(place)
    if (found.size === 0 || !this.#makeRoom(to)) return
    if (systemRenames().toFreeName(place, this.#at(to)) !== null) return
    for (const [path, left] of found) this.#note(`${to}/${path}`, null, left)
  }

  #takeFolder(path: string): string | null {
    const place = this.#newPlace()
    try {
      if (!lstatSync(this.#at(path)).isDirectory()) return null
      renameSync(this.#at(path), place)
    } catch {
      return null
    }
    if (lstatSync(place).isDirectory()) this.#noteGone(path, place)
    else this.#note(path, wordOf(place), null)
    return lstatSync(place).isDirectory() ? place : null
  }

  #noteGone(path: string, place: string): void {
    for (const [below, saw] of treeOf(place)) this.#note(`${path}/${below}`, saw, null)
  }

  #fileToFolder(path: string): void {
    if (this.#delete(path)) this.#save(`${path}/${this.#dice.pick(names)}`)
  }

  #folderToFile(path: string): void {
    if (this.#takeFolder(path)) this.#save(path)
  }

  #makeRoom(path: string): boolean {
    try {
      mkdirSync(dirname(this.#at(path)), { recursive: true })
      return true
    } catch {
      // A file is where a folder would have to be.
      return false
    }
  }

  #newPlace(): string {
    return join(this.#aside, `${this.changes.length}-${++this.#written}`)
  }

  #at(path: string): string {
    return join(this.#root, path)
  }
}

function statsOf(place: string): Stats | null {
  try {
    return lstatSync(place)
  } catch {
    // Nothing is there, or a file where a folder would have to be.
    return null
  }
}

function wordOf(place: string | number): string {
  const { mode } = typeof place === 'number' ? fstatSync(place) : lstatSync(place)
  return `${mode & 0o100 ? '100755' : '100644'} ${hashOf(typeof place === 'number' ? readAll(place) : readFileSync(place))}`
}

/** From the start, at any position of the handle. */
function readAll(handle: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(handle).size)
  for (let at = 0; at < bytes.length; ) at += readSync(handle, bytes, at, bytes.length - at, at)
  return bytes
}
