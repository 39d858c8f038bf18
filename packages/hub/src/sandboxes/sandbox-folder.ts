import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { RunId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'
import { type ProcessId, readIdentity } from './processes.ts'

/** It is the name of a folder. */
const SandboxId = z.string().regex(/^[0-9A-Za-z_-]{1,100}$/)

/** What the next hub must know of a sandbox; it is on disk before anything is started. */
export const SandboxNote = z.object({
  id: SandboxId,
  run: RunId,
  /** The host that started it. */
  kind: z.string(),
  /** Whose processes run in it, where it has a user of its own. */
  uid: z.number().int().optional(),
  /** Control groups that were made for it, to be removed with it. */
  cgroups: z.array(z.string()),
})
export type SandboxNote = z.infer<typeof SandboxNote>

const goneEnd = '.gone'
const tool = promisify(execFile)

/** The folders that hold what there is of each sandbox on this machine; all of it is its owner's alone. */
export class SandboxFolders {
  readonly #root: string

  constructor(root: string) {
    this.#root = path.resolve(root)
  }

  /** Makes its folder, or takes the one that is there and has no note yet. */
  make(note: SandboxNote): SandboxFolder {
    SandboxNote.parse(note)
    const folder = path.join(this.#root, note.id)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, 'note.json')
    if (existsSync(file)) throw new Error(`there is a sandbox ${note.id} already`)
    writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    return new SandboxFolder(folder)
  }

  /** All with a whole note, those included whose removal was cut short. */
  list(): SandboxFolder[] {
    return namesIn(this.#root).flatMap((name) => {
      const folder = new SandboxFolder(path.join(this.#root, name))
      return folder.note() ? [folder] : []
    })
  }

  /** Null if there is nothing of it. */
  find(id: string): SandboxFolder | null {
    if (!SandboxId.safeParse(id).success) return null
    return (
      [id, `${id}${goneEnd}`].map((name) => new SandboxFolder(path.join(this.#root, name))).find(isThere) ??
      null
    )
  }
}

const isThere = ({ path }: SandboxFolder) => existsSync(path)

export class SandboxFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  place(name: string): string {
    return path.join(this.path, name)
  }

  makePlace(name: string): string {
    const place = this.place(name)
    mkdirSync(place, { mode: 0o700 })
    return place
  }

  note(): SandboxNote | null {
    const text = this.#read('note.json')
    try {
      return text === null ? null : SandboxNote.parse(JSON.parse(text))
    } catch {
      // Nobody but a hub writes here; what is not whole was never started.
      return null
    }
  }

  /** The process that waits for the program; null if it has not begun. */
  supervisor(): ProcessId | null {
    return readIdentity(this.#read('supervisor') ?? '')
  }

  /** The process that keeps what the program printed last until nobody prints any more. */
  wordsKeeper(): ProcessId | null {
    return readIdentity(this.#read('words-keeper') ?? '')
  }

  /** How the program ended, as a shell says it; null if it has not, or nobody saw it. */
  code(): number | null {
    const text = this.#read('code')
    return text ? Number.parseInt(text, 10) : null
  }

  lastWords(): string {
    return this.#read('last-words') ?? ''
  }

  /**
   * The same folder under a name by which no process of the sandbox knows it: a supervisor that has not yet said who
   * it is finds no place for that, and ends.
   */
  rename(): SandboxFolder {
    if (this.path.endsWith(goneEnd)) return this
    const gone = `${this.path}${goneEnd}`
    renameSync(this.path, gone)
    return new SandboxFolder(gone)
  }

  /**
   * Removes all of it, while others go on: it may be large. By tools of the system, which go down folder by folder: paths
   * in there may be longer than can be named, and folders closed to their own owner. Links are removed, not followed.
   */
  async remove(): Promise<void> {
    const away = () => tool('rm', ['-rf', '--', this.path])
    await away().catch(async () => {
      await tool('chmod', ['-R', 'u+rwx', '--', this.path]).catch(() => {})
      await away()
    })
  }

  #read(name: string): string | null {
    try {
      return readFileSync(this.place(name), 'utf8')
    } catch {
      return null
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing was ever started.
    return []
  }
}
